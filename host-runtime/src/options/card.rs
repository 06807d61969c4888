//! Options of a real card.

use super::ranges::number;
use crate::card::opae::OpaeOptions;
use crate::card::opae::result::PciAddress;
use clap::Args;
use serde::Deserialize;
use std::time::Duration;

/// What can be said about a card; see docs/card.md.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
#[command(next_help_heading = "Card (backend opae)")]
pub struct CardOptions {
    /// PCI address of the card, such as 0000:5e:00.0 [default: the first that holds the build]
    #[arg(long, value_name = "ADDRESS")]
    pub card: Option<PciAddress>,
    /// Seconds without any progress after which a card counts as stuck [default: 5]
    #[arg(long, value_name = "SECONDS", value_parser = number::<u32>("card-timeout"))]
    pub card_timeout: Option<u32>,
}

impl CardOptions {
    /// These options, and those of `base` where these say nothing.
    #[must_use]
    pub fn or(self, base: Self) -> Self {
        Self { card: self.card.or(base.card), card_timeout: self.card_timeout.or(base.card_timeout) }
    }

    /// True if something is said.
    pub fn any(&self) -> bool {
        *self != Self::default()
    }

    /// The options of the backend.
    pub fn backend(&self) -> OpaeOptions {
        let default = OpaeOptions::default();
        OpaeOptions {
            address: self.card,
            deadline: self
                .card_timeout
                .map_or(default.deadline, |seconds| Duration::from_secs(seconds.into())),
            ..default
        }
    }
}
