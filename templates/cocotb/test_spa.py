"""The known job of ../sim/known on the accelerator, behind the AXI models of cocotbext-axi."""

import json
import logging
import os
import random
import re
from collections import Counter
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam

KNOWN = Path(os.environ.get("KNOWN", "../sim/known"))
JOB = json.loads((KNOWN / "job.json").read_text())
HEADER = (KNOWN / "../../sw/spa_regs.h").read_text()
# Looks at STATUS, 200 cycles apart.
PATIENCE = 2000


def offset(name):
    """Byte offset of a register, from the C header of the build."""
    return int(re.search(rf"#define SPA_{name}_OFFSET (0x[0-9A-F]+)u", HEADER)[1], 16)


def lsb(name):
    """Lowest bit of a field."""
    return int(re.search(rf"#define SPA_{name}_LSB (\d+)", HEADER)[1])


def words(name):
    """Words of a $readmemh file."""
    lines = (KNOWN / name).read_text().splitlines()
    return [int(line, 16) for line in lines if line and not line.startswith("//")]


def memory(name):
    """Bytes of a $readmemh file of memory lines."""
    return b"".join(word.to_bytes(JOB["line_bytes"], "little") for word in words(name))


class Card:
    """The accelerator with a host at its registers and memory at its master."""

    def __init__(self, dut):
        self.dut = dut
        # The models tell of every access otherwise.
        logging.getLogger(f"cocotb.{dut._name}").setLevel(logging.WARNING)
        cocotb.start_soon(Clock(dut.aclk, 10, unit="ns").start())
        reset = {"reset": dut.aresetn, "reset_active_level": False}
        self.host = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.aclk, **reset)
        size = 1 << (len(memory("memory.hex")) - 1).bit_length()
        self.memory = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.aclk, size=size, **reset)

    async def reset(self):
        self.dut.aresetn.value = 0
        await ClockCycles(self.dut.aclk, 16)
        self.dut.aresetn.value = 1
        await ClockCycles(self.dut.aclk, 4)

    async def read(self, address):
        return int.from_bytes((await self.host.read(address, 8)).data, "little")

    async def write(self, address, value):
        await self.host.write(address, value.to_bytes(8, "little"))

    def wait_at_random(self, percent, seed):
        """Makes every channel of memory wait in this share of cycles."""
        draw = random.Random(seed)

        def pauses():
            while True:
                yield draw.randrange(100) < percent

        write, read = self.memory.write_if, self.memory.read_if
        for channel in (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel):
            channel.set_pause_generator(pauses())

    async def run(self):
        """Runs the job; gives the words of the log and the labels as they lie in memory."""
        self.memory.write(0, memory("memory.hex"))
        for word in words("registers.hex"):
            await self.write(word >> 64, word & (1 << 64) - 1)
        for _ in range(PATIENCE):
            await ClockCycles(self.dut.aclk, 200)
            status = await self.read(offset("STATUS"))
            if status >> lsb("STATUS_DONE") & 1 or status >> lsb("STATUS_ERROR") & 1:
                break
        else:
            raise AssertionError(f"no end after {PATIENCE * 200} cycles, STATUS is {status:#x}")
        assert await self.read(offset("ERRORS")) == 0
        line, ring = JOB["line_bytes"], JOB["ring_lines"]
        log = self.memory.read(JOB["ring_line"] * line, ring * line)
        labels = self.memory.read((JOB["ring_line"] + ring) * line, JOB["label_lines"] * line)
        size = JOB["message_bits"] // 8
        slots = (int.from_bytes(log[i : i + size], "little") for i in range(0, len(log), size))
        return Counter(word for word in slots if word), labels


def check(log, labels):
    """The log is a multiset: its order means nothing."""
    expected = Counter(words("messages.hex"))
    missing, foreign = expected - log, log - expected
    assert not missing and not foreign, f"{missing.total()} messages are missing, {foreign.total()} are not expected"
    wrong = [i for i, (got, want) in enumerate(zip(labels, memory("labels.hex"), strict=True)) if got != want]
    assert not wrong, f"{len(wrong)} labels differ, the first at byte {wrong[0]}"


@cocotb.test()
async def is_the_accelerator_of_this_build(dut):
    card = Card(dut)
    await card.reset()
    uuid = re.search(r'#define SPA_AFU_ID "([0-9a-f-]+)"', HEADER)[1].replace("-", "")
    high, low = await card.read(offset("AFU_ID_H")), await card.read(offset("AFU_ID_L"))
    assert f"{high:016x}{low:016x}" == uuid
    parts = [await card.read(offset(f"CONFIG_HASH_{n}")) for n in (3, 2, 1, 0)]
    assert "".join(f"{part:016x}" for part in parts) == JOB["config_hash"]


@cocotb.test()
async def gives_the_known_result(dut):
    card = Card(dut)
    await card.reset()
    check(*await card.run())


@cocotb.test()
async def gives_it_again_from_a_slow_memory(dut):
    card = Card(dut)
    card.wait_at_random(80, seed=1)
    await card.reset()
    check(*await card.run())
