// Stands in for the header of the Intel HLS compiler: the AC datatypes are the same.
#pragma once
#include <ac_int.h>
