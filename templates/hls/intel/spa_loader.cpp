// spa_loader: Loader as a component of the Intel HLS compiler; the host starts it by its registers
#include "spa_loader.hpp"

using namespace spa;

SPA_STARTED_COMPONENT void spa_loader(Out<Record>& chain, Memory& memory, SPA_REGISTER_ARGUMENT Loader::Index program,
    SPA_REGISTER_ARGUMENT ac_int<32, false> lines) {
  SPA_STATE(Loader, self);
  self.run(chain, memory, program, lines);
}
