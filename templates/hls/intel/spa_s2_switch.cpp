// spa_s2_switch: S2Switch as a component of the Intel HLS compiler
#include "spa_s2_switch.hpp"

using namespace spa;
{% if links %}
SPA_COMPONENT void spa_s2_switch(In<Record, kChainDepth>& chain, Out<Record>& onward, In<Samples, kLabelDepth>& banks,
    In<S2Turn, kLabelDepth>& turn, In<Samples, kLinkDepth>& from_left, In<Samples, kLinkDepth>& from_right,
    In<Samples, kLinkDepth>& from_up, In<Samples, kLinkDepth>& from_down, Out<Samples>& to_left,
    Out<Samples>& to_right, Out<Samples>& to_up, Out<Samples>& to_down, Out<Samples>& samples) {
  SPA_STATE(S2Switch, self);
  self.run(chain, onward, banks, turn, from_left, from_right, from_up, from_down, to_left, to_right, to_up, to_down,
           samples);
}
{%- else %}
SPA_COMPONENT void spa_s2_switch(In<Record, kChainDepth>& chain, Out<Record>& onward, In<Samples, kLabelDepth>& banks,
    In<S2Turn, kLabelDepth>& turn, Out<Samples>& samples) {
  SPA_STATE(S2Switch, self);
  self.run(chain, onward, banks, turn, samples);
}
{%- endif %}
