  // One word of the memory, any one, for the properties of the module above.
  (* anyconst *) logic [AddrW-1:0] f_address;
  logic [Width-1:0] f_word;
  assign f_word = mem[f_address];
