//! Options of real cards and boards.

use super::ranges::number;
use crate::card::opae::OpaeOptions;
use crate::card::opae::result::PciAddress;
use crate::card::serial::SerialOptions;
use clap::Args;
use serde::Deserialize;
use spagen::emit;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What can be said about a card; see docs/card.md.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
#[command(next_help_heading = "Card (backends opae, serial)")]
pub struct CardOptions {
    /// PCI address of the card, such as 0000:5e:00.0 (opae) [default: the first that holds the build]
    #[arg(long, value_name = "ADDRESS")]
    pub card: Option<PciAddress>,
    /// Serial port of the board, such as /dev/ttyUSB0 (serial)
    #[arg(long, value_name = "PATH")]
    pub port: Option<PathBuf>,
    /// Bits a second of the serial port [default: 3000000]
    #[arg(long, value_name = "N", value_parser = number::<u32>("baud"))]
    pub baud: Option<u32>,
    /// Seconds without any progress after which a card counts as stuck [default: 5]
    #[arg(long, value_name = "SECONDS", value_parser = number::<u32>("card-timeout"))]
    pub card_timeout: Option<u32>,
}

impl CardOptions {
    /// These options, and those of `base` where these say nothing.
    #[must_use]
    pub fn or(self, base: Self) -> Self {
        Self {
            card: self.card.or(base.card),
            port: self.port.or(base.port),
            baud: self.baud.or(base.baud),
            card_timeout: self.card_timeout.or(base.card_timeout),
        }
    }

    /// What is said that backend `name` does not take: the options and the backend that does.
    pub fn foreign(&self, name: &str) -> Option<(&'static str, &'static str)> {
        let said = [
            (self.card.is_some(), "--card", &["opae"][..], "opae"),
            (self.port.is_some(), "--port", &["serial"], "serial"),
            (self.baud.is_some(), "--baud", &["serial"], "serial"),
            (self.card_timeout.is_some(), "--card-timeout", &["opae", "serial"], "opae' or 'serial"),
        ];
        let foreign = |(said, _, takers, _): &(bool, &str, &[&str], &str)| *said && !takers.contains(&name);
        said.into_iter().find(foreign).map(|(_, option, _, takers)| (option, takers))
    }

    /// The options of backend `opae`.
    pub fn opae(&self) -> OpaeOptions {
        let default = OpaeOptions::default();
        OpaeOptions { address: self.card, deadline: self.deadline().unwrap_or(default.deadline), ..default }
    }

    /// The options of backend `serial` at this port.
    pub fn serial(&self, port: &Path) -> SerialOptions {
        SerialOptions {
            port: port.to_path_buf(),
            baud: self.baud.unwrap_or(emit::SERIAL_BAUD),
            deadline: self.deadline().unwrap_or(OpaeOptions::default().deadline),
        }
    }

    fn deadline(&self) -> Option<Duration> {
        self.card_timeout.map(|seconds| Duration::from_secs(seconds.into()))
    }
}
