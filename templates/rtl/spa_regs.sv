// spa_regs: register file behind an AXI4-Lite slave, rendered from the register map.
//
// Every access is answered with OKAY, also outside the map (reads 0, writes ignored), because a host channel that waits
// for an answer hangs the whole card. One write and one read are in flight at a time; a read takes four cycles.

module spa_regs #(
  parameter int           AddrBits   = 16,
  parameter logic [127:0] AfuId      = 128'h{{ map.afu_id_digits() }},
  parameter logic [255:0] ConfigHash = 256'h0
{%- for parameter in map.sv_parameters() %},
  parameter logic [63:0]  {{ parameter.name }} = 64'd0
{%- endfor %}
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // AXI4-Lite slave
  input  logic                s_axil_awvalid_i,
  output logic                s_axil_awready_o,
  input  logic [AddrBits-1:0] s_axil_awaddr_i,
  input  logic                s_axil_wvalid_i,
  output logic                s_axil_wready_o,
  input  logic [63:0]         s_axil_wdata_i,
  input  logic [7:0]          s_axil_wstrb_i,
  output logic                s_axil_bvalid_o,
  input  logic                s_axil_bready_i,
  output logic [1:0]          s_axil_bresp_o,
  input  logic                s_axil_arvalid_i,
  output logic                s_axil_arready_o,
  input  logic [AddrBits-1:0] s_axil_araddr_i,
  output logic                s_axil_rvalid_o,
  input  logic                s_axil_rready_i,
  output logic [63:0]         s_axil_rdata_o,
  output logic [1:0]          s_axil_rresp_o,

  // Access rules
  input  logic                busy_i,          // run parameters are locked
  input  logic                start_i,         // a start was accepted: clear what start clears
  output logic                locked_write_o,  // pulse: a write to a locked register was ignored

  // Fields
{%- for port in map.sv_ports() %}
  {{ port.direction }} logic {{ port.range }}         {{ port.name }}{% if !loop.last %},{% endif %}
{%- endfor %}
);

  localparam int MapBits   = {{ map.address_bits() }};
  localparam int IndexBits = MapBits - 3;

  // Write channel: address and data arrive in any order and wait for each other.
  logic                aw_valid_q;
  logic [AddrBits-1:3] aw_word_q;
  logic                w_valid_q;
  logic [63:0]         w_data_q;
  logic [7:0]          w_strb_q;
  logic                b_valid_q;
  logic                write;

  assign write            = aw_valid_q && w_valid_q && !b_valid_q;
  assign s_axil_awready_o = !aw_valid_q;
  assign s_axil_wready_o  = !w_valid_q;
  assign s_axil_bvalid_o  = b_valid_q;
  assign s_axil_bresp_o   = 2'b00;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      aw_valid_q <= 1'b0;
      w_valid_q  <= 1'b0;
      b_valid_q  <= 1'b0;
    end else begin
      if (s_axil_awvalid_i && s_axil_awready_o) aw_valid_q <= 1'b1;
      if (s_axil_wvalid_i && s_axil_wready_o) w_valid_q <= 1'b1;
      if (s_axil_bready_i) b_valid_q <= 1'b0;
      if (write) begin
        aw_valid_q <= 1'b0;
        w_valid_q  <= 1'b0;
        b_valid_q  <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (s_axil_awvalid_i && s_axil_awready_o) aw_word_q <= s_axil_awaddr_i[AddrBits-1:3];
    if (s_axil_wvalid_i && s_axil_wready_o) begin
      w_data_q <= s_axil_wdata_i;
      w_strb_q <= s_axil_wstrb_i;
    end
  end

  // The write strikes one cycle later, from registers: this cuts the path from the decoder to several hundred flops.
  logic                 we_q;
  logic [IndexBits-1:0] we_index_q;
  logic [63:0]          we_data_q;
  logic [7:0]           we_strb_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) we_q <= 1'b0;
    else         we_q <= write && (aw_word_q[AddrBits-1:MapBits] == '0);
  end

  always_ff @(posedge clk_i) begin
    we_index_q <= aw_word_q[MapBits-1:3];
    we_data_q  <= w_data_q;
    we_strb_q  <= w_strb_q;
  end

  // Commands: pulses of one cycle, flags beside them.
{%- for register in map.commands() %}
  logic {{ register.lower() }}_we;
  assign {{ register.lower() }}_we = we_q && (we_index_q == {{ register.sv_index() }});
{%- for field in register.fields() %}
  assign {{ field.signal() }}_o = {{ register.lower() }}_we && we_data_q{{ field.sv_slice() }} && we_strb_q[{{ field.byte() }}];
{%- endfor %}
{%- endfor %}

  // Stored registers: a byte of a field takes its data if its strobe is set.
{%- for register in map.stored() %}
  logic {{ register.lower() }}_we;
{%- endfor %}
{%- for register in map.stored() %}
{%- for field in register.fields() %}
  logic {{ field.sv_range() }} {{ field.signal() }}_q;
{%- endfor %}
{%- endfor %}
{% for register in map.stored() %}
  assign {{ register.lower() }}_we = we_q && (we_index_q == {{ register.sv_index() }}){% if register.is_locked() %} && !busy_i{% endif %};
{%- endfor %}
{%- for register in map.stored() %}

  // {{ register.name() }}: {{ register.doc() }}
{%- for field in register.fields() %}
  assign {{ field.signal() }}_o = {{ field.signal() }}_q;
{%- endfor %}
  always_ff @(posedge clk_i) begin
    if (!rst_ni{% if register.is_cleared_by_start() %} || start_i{% endif %}) begin
{%- for field in register.fields() %}
      {{ field.signal() }}_q <= {{ field.sv_reset() }};
{%- endfor %}
    end else if ({{ register.lower() }}_we) begin
{%- for field in register.fields() %}
{%- for piece in field.pieces() %}
      if (we_strb_q[{{ piece.byte }}]) {{ field.signal() }}_q{{ piece.target }} <= we_data_q{{ piece.source }};
{%- endfor %}
{%- endfor %}
    end
  end
{%- endfor %}

  // A write to a locked register while busy is ignored, and reported.
  logic locked;

  always_comb begin
    case (we_index_q)
{%- for register in map.locked() %}
      {{ register.sv_index() }}{% if loop.last %}: locked = 1'b1;{% else %},{% endif %}
{%- endfor %}
      default: locked = 1'b0;
    endcase
  end

  assign locked_write_o = we_q && busy_i && locked;

  // The lowest address bits choose bytes, which is the strobes' business.
  logic unused_address;
  assign unused_address = ^{s_axil_awaddr_i[2:0], s_axil_araddr_i[2:0]};

  // Read channel: address register, multiplexers of sixteen registers each, multiplexer of those, data register.
  logic                ar_valid_q;
  logic                set_valid_q;
  logic                mux_valid_q;
  logic [AddrBits-1:3] ar_word_q;
  logic                r_valid_q;
{%- for set in map.read_sets() %}
  logic [63:0]         set{{ set.number() }}_d, set{{ set.number() }}_q;
{%- endfor %}
  logic [63:0]         r_data_d;
  logic [63:0]         r_data_q;

  assign s_axil_arready_o = !ar_valid_q && !set_valid_q && !mux_valid_q && !r_valid_q;
  assign s_axil_rvalid_o  = r_valid_q;
  assign s_axil_rdata_o   = r_data_q;
  assign s_axil_rresp_o   = 2'b00;
{%- for set in map.read_sets() %}

  // Sums of ANDs: a case would become a table of constants in part, and that a memory.
  assign set{{ set.number() }}_d = 64'd0
{%- for register in set.registers() %}
    | ({64{ar_word_q[6:3] == {{ register.sv_place() }}}} & {{ register.sv_read() }})
{%- endfor %};
{%- endfor %}

  always_comb begin
    case (ar_word_q[MapBits-1:7])
{%- for set in map.read_sets() %}
      {{ set.sv_number() }}: r_data_d = set{{ set.number() }}_q;
{%- endfor %}
      default: r_data_d = '0;
    endcase
  end

  always_ff @(posedge clk_i) begin
{%- for set in map.read_sets() %}
    set{{ set.number() }}_q <= set{{ set.number() }}_d;
{%- endfor %}
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ar_valid_q  <= 1'b0;
      set_valid_q <= 1'b0;
      mux_valid_q <= 1'b0;
      r_valid_q   <= 1'b0;
    end else begin
      ar_valid_q  <= s_axil_arvalid_i && s_axil_arready_o;
      set_valid_q <= ar_valid_q;
      mux_valid_q <= set_valid_q;
      if (mux_valid_q) r_valid_q <= 1'b1;
      else if (s_axil_rready_i) r_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (s_axil_arvalid_i && s_axil_arready_o) ar_word_q <= s_axil_araddr_i[AddrBits-1:3];
    if (mux_valid_q) r_data_q <= (ar_word_q[AddrBits-1:MapBits] == '0) ? r_data_d : '0;
  end

endmodule
