// Stand-in for the header of the Platform Interface Manager: the parameters that it gives to interfaces of the host channel.

`define HOST_CHAN_AXI_MEM_PARAMS .ADDR_WIDTH(48), .DATA_WIDTH(512)
`define HOST_CHAN_AXI_MMIO_PARAMS(BUSWIDTH) .ADDR_WIDTH(18), .DATA_WIDTH(BUSWIDTH), .RID_WIDTH(10)
