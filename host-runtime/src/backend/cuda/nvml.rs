//! The energy counter of a card (NVML), for measurements; where the library or the counter is missing, there is none.

use super::device::Device;
use super::sys;
use libloading::Library;

/// Names of the library.
const NAMES: [&str; 2] = ["libnvidia-ml.so.1", "libnvidia-ml.so"];

/// Reads the energy that a card has used since the driver was loaded.
#[derive(Debug)]
pub struct EnergyMeter {
    library: Library,
    handle: usize,
}

impl EnergyMeter {
    /// The meter of `device`; none if there is no NVML or it does not know the card.
    pub fn open(device: &Device) -> Option<Self> {
        let library = NAMES.iter().find_map(|name| sys::open_library(name))?;
        let handle = sys::nvml_handle(&library, &device.bus_address()?)?;
        Some(Self { library, handle })
    }

    /// Joules so far; none if the card has no counter. The driver brings it up to date every few ten milliseconds.
    pub fn joules(&self) -> Option<f64> {
        Some(sys::nvml_millijoules(&self.library, self.handle)? as f64 / 1000.0)
    }
}
