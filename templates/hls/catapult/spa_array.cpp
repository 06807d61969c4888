// The top of the design for Catapult: spa::Array
#include "spa_array.hpp"
