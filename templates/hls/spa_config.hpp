// spa_config: {{ title }}. The parameters of this build.
#pragma once

namespace spa {
{% for constant in constants %}
constexpr {{ constant.kind }} {{ constant.name }} = {{ constant.value }};
{%- endfor %}

}  // namespace spa
