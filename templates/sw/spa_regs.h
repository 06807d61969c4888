/* spa_regs.h: register map of the accelerator. Registers are 64 bits wide; offsets are in bytes. */
#ifndef SPA_REGS_H
#define SPA_REGS_H

#include <stdint.h>

#define SPA_ABI_MAJOR {{ map.abi_major() }}u
#define SPA_ABI_MINOR {{ map.abi_minor() }}u
#define SPA_ABI_MAGIC 0x{{ map.abi_magic() }}u
#define SPA_AFU_ID "{{ map.afu_id() }}"
#define SPA_MAP_BYTES 0x{{ "{:X}"|format(map.bytes()) }}u

/* A field of a register value: SPA_GET(status, SPA_STATUS_STATE), SPA_PUT(2, SPA_LABELS). */
#define SPA_GET(value, field) (((uint64_t)(value) & field##_MASK) >> field##_LSB)
#define SPA_PUT(value, field) (((uint64_t)(value) << field##_LSB) & field##_MASK)
{%- for register in map.registers() %}

/* {{ register.name() }} ({{ register.access() }}): {{ register.doc() }}. */
#define SPA_{{ register.name() }}_OFFSET 0x{{ register.offset() }}u
{%- for field in register.fields() %}
/* {{ field.doc() }} */
#define SPA_{{ field.upper() }}_LSB {{ field.lsb() }}
#define SPA_{{ field.upper() }}_MASK UINT64_C(0x{{ field.mask() }})
{%- endfor %}
{%- endfor %}

#endif /* SPA_REGS_H */
