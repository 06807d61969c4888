//! Options of the simulated card: its memory, its state at power-up, the ring of the label log. Results never depend on them;
//! cycles and stalls do.

use super::ranges::number;
use super::values::optional_seed;
use crate::backend::sim::SimBackendOptions;
use crate::card::accelerator::DriverOptions;
use crate::card::axi::MemoryOptions;
use crate::card::sim::SimOptions;
use clap::Args;
use serde::Deserialize;

/// What can be said about the simulated card; see docs/simulation.md.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
#[command(next_help_heading = "Simulated card (backend sim)")]
pub struct SimulationOptions {
    /// Cycles from a read address to its first line [default: 20]
    #[arg(long, value_name = "CYCLES", value_parser = number::<u32>("sim-read-latency"))]
    pub sim_read_latency: Option<u32>,
    /// Cycles from the last line of a write to its response [default: 10]
    #[arg(long, value_name = "CYCLES", value_parser = number::<u32>("sim-write-latency"))]
    pub sim_write_latency: Option<u32>,
    /// Share of cycles, in percent, in which a channel of memory rests at random, 0…99 [default: 0]
    #[arg(long, value_name = "PERCENT", value_parser = number::<u8>("sim-idle"))]
    pub sim_idle: Option<u8>,
    /// Seed of those cycles [default: 1]
    #[arg(long, value_name = "N", value_parser = number::<u64>("sim-seed"))]
    #[serde(deserialize_with = "optional_seed")]
    pub sim_seed: Option<u64>,
    /// What registers and RAMs hold that reset does not reach: 0 zeros, else a seed of random bits [default: 0]
    #[arg(long, value_name = "SEED", value_parser = number::<u32>("sim-power-up"))]
    pub sim_power_up: Option<u32>,
    /// Lines of the ring through which the label log leaves the card [default: 4096]
    #[arg(long, value_name = "LINES", value_parser = number::<u32>("sim-ring"))]
    pub sim_ring: Option<u32>,
}

impl SimulationOptions {
    /// These options, and those of `base` where these say nothing.
    #[must_use]
    pub fn or(self, base: Self) -> Self {
        Self {
            sim_read_latency: self.sim_read_latency.or(base.sim_read_latency),
            sim_write_latency: self.sim_write_latency.or(base.sim_write_latency),
            sim_idle: self.sim_idle.or(base.sim_idle),
            sim_seed: self.sim_seed.or(base.sim_seed),
            sim_power_up: self.sim_power_up.or(base.sim_power_up),
            sim_ring: self.sim_ring.or(base.sim_ring),
        }
    }

    /// True if something is said.
    pub fn any(&self) -> bool {
        *self != Self::default()
    }

    /// The options of the backend.
    pub fn backend(&self) -> SimBackendOptions {
        let (memory, driver) = (MemoryOptions::default(), DriverOptions::default());
        SimBackendOptions {
            card: SimOptions {
                memory: MemoryOptions {
                    read_latency: self.sim_read_latency.unwrap_or(memory.read_latency),
                    write_latency: self.sim_write_latency.unwrap_or(memory.write_latency),
                    idle_percent: self.sim_idle.unwrap_or(memory.idle_percent),
                    seed: self.sim_seed.unwrap_or(memory.seed),
                    ..memory
                },
                power_up_seed: self.sim_power_up.unwrap_or(0),
            },
            driver: DriverOptions {
                ring_lines: self.sim_ring.map_or(driver.ring_lines, |lines| lines as usize),
                ..driver
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_said_is_the_default_and_everything_said_arrives() {
        assert_eq!(SimulationOptions::default().backend(), SimBackendOptions::default());
        let said: SimulationOptions = toml::from_str(
            "sim-read-latency = 7\nsim-write-latency = 8\nsim-idle = 9\nsim-seed = '18446744073709551615'\n\
             sim-power-up = 11\nsim-ring = 12",
        )
        .unwrap();
        assert!(said.any());
        let backend = said.clone().or(SimulationOptions::default()).backend();
        let memory = MemoryOptions {
            read_latency: 7,
            write_latency: 8,
            idle_percent: 9,
            seed: u64::MAX,
            ..MemoryOptions::default()
        };
        assert_eq!(backend.card, SimOptions { memory, power_up_seed: 11 });
        assert_eq!(backend.driver, DriverOptions { ring_lines: 12, ..DriverOptions::default() });
        assert_eq!(SimulationOptions::default().or(said.clone()), said);
    }
}
