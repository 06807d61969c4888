# 200 MHz, the clock of CCI-P on the Arria 10 GX PAC; the report of Quartus says what is reached.

create_clock -name clk_i -period 5.000 [get_ports clk_i]
derive_clock_uncertainty
# Virtual pins have no paths of their own worth a look.
set_false_path -from [all_inputs] -to [all_registers]
set_false_path -from [all_registers] -to [all_outputs]
