// spa_known_tb: runs the job of known/ on the accelerator and compares log and labels with the model's.
//
// Runs in the folder of the job's files. Ends with "spa_tb: done" and a status of 0, or with $fatal.

`timescale 1ns / 1ps

module spa_known_tb #(
  parameter integer Idle = 20,  // percent of cycles in which memory waits
  parameter integer Seed = 1
);

  spa_tb #(
    .LineBits    ({{ known.line_bytes * 8 }}),
    .Lines       ({{ known.lines() }}),
    .Registers   ({{ known.registers.len() }}),
    .FirstLine   ({{ known.ring_line }}),
    .LastLine    ({{ known.lines() - 1 }}),
    .Idle        (Idle),
    .Seed        (Seed),
    .Timeout     (1_000_000),
    .MessageBits ({{ known.message_bits }}),
    .Messages    ({{ known.messages.len() }}),
    .LabelLines  ({{ known.label_lines }})
  ) u_tb ();

endmodule
