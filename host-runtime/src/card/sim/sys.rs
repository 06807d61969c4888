//! The C interface of `libspa_sim.so` (templates/sim/spa_sim.h), loaded at run time.

use crate::card::CardError;
use libloading::Library;
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr::NonNull;

/// Revision of the interface; the library must have the same.
pub const ABI: u32 = 1;

/// Signals towards the accelerator, for one cycle. Field by field `spa_sim_in` of spa_sim.h.
#[derive(Debug, Clone)]
#[repr(C)]
#[allow(missing_docs)] // the names are those of the bus
pub struct Inputs {
    pub s_awaddr: u64,
    pub s_wdata: u64,
    pub s_araddr: u64,
    pub m_rdata: [u8; 64],
    pub m_rvalid: u8,
    pub m_rlast: u8,
    pub m_rresp: u8,
    pub m_arready: u8,
    pub m_awready: u8,
    pub m_wready: u8,
    pub m_bvalid: u8,
    pub m_bresp: u8,
    pub s_awvalid: u8,
    pub s_wvalid: u8,
    pub s_wstrb: u8,
    pub s_bready: u8,
    pub s_arvalid: u8,
    pub s_rready: u8,
    pub rst_n: u8,
    pub reserved: u8,
}

/// Signals of the accelerator in one cycle. Field by field `spa_sim_out` of spa_sim.h.
#[derive(Debug, Clone)]
#[repr(C)]
#[allow(missing_docs)] // the names are those of the bus
pub struct Outputs {
    pub s_rdata: u64,
    pub m_awaddr: u64,
    pub m_araddr: u64,
    pub m_wstrb: u64,
    pub m_wdata: [u8; 64],
    pub m_awvalid: u8,
    pub m_awlen: u8,
    pub m_awsize: u8,
    pub m_awburst: u8,
    pub m_wvalid: u8,
    pub m_wlast: u8,
    pub m_bready: u8,
    pub m_arvalid: u8,
    pub m_arlen: u8,
    pub m_arsize: u8,
    pub m_arburst: u8,
    pub m_rready: u8,
    pub s_awready: u8,
    pub s_wready: u8,
    pub s_bvalid: u8,
    pub s_bresp: u8,
    pub s_arready: u8,
    pub s_rvalid: u8,
    pub s_rresp: u8,
    pub reserved: u8,
}

impl Default for Inputs {
    fn default() -> Self {
        Self {
            s_awaddr: 0,
            s_wdata: 0,
            s_araddr: 0,
            m_rdata: [0; 64],
            m_rvalid: 0,
            m_rlast: 0,
            m_rresp: 0,
            m_arready: 0,
            m_awready: 0,
            m_wready: 0,
            m_bvalid: 0,
            m_bresp: 0,
            s_awvalid: 0,
            s_wvalid: 0,
            s_wstrb: 0,
            s_bready: 0,
            s_arvalid: 0,
            s_rready: 0,
            rst_n: 0,
            reserved: 0,
        }
    }
}

impl Default for Outputs {
    fn default() -> Self {
        Self {
            s_rdata: 0,
            m_awaddr: 0,
            m_araddr: 0,
            m_wstrb: 0,
            m_wdata: [0; 64],
            m_awvalid: 0,
            m_awlen: 0,
            m_awsize: 0,
            m_awburst: 0,
            m_wvalid: 0,
            m_wlast: 0,
            m_bready: 0,
            m_arvalid: 0,
            m_arlen: 0,
            m_arsize: 0,
            m_arburst: 0,
            m_rready: 0,
            s_awready: 0,
            s_wready: 0,
            s_bvalid: 0,
            s_bresp: 0,
            s_arready: 0,
            s_rvalid: 0,
            s_rresp: 0,
            reserved: 0,
        }
    }
}

type Clock = unsafe extern "C" fn(*mut c_void, *const Inputs, *mut Outputs);
type Idle = unsafe extern "C" fn(*mut c_void, *const Inputs, *mut Outputs, u64) -> u64;
type Trace = unsafe extern "C" fn(*mut c_void, *const c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut c_void);

/// A model of the accelerator: owns both the object and the library that it lives in.
#[derive(Debug)]
pub struct Model {
    card: NonNull<c_void>,
    clock: Clock,
    idle: Idle,
    trace: Trace,
    destroy: Destroy,
    line_bytes: usize,
    // Dropped last: the functions above live in it.
    _library: Library,
}

// SAFETY: the object has its own Verilator context and no thread-local state; it may move between threads as long as
// one thread at a time uses it, which `&mut self` ensures.
unsafe impl Send for Model {}

impl Model {
    /// Loads the library at `path` and makes a card; `seed` decides what reset does not reach (0: zeros).
    ///
    /// # Errors
    /// [`CardError::Library`] if the library is missing, damaged or of another revision.
    pub fn load(path: &Path, seed: u32) -> Result<Self, CardError> {
        let failed = |cause: String| CardError::Library { path: path.display().to_string(), cause };
        let missing = |error: libloading::Error| {
            failed(format!("{error}; remove it, and the next run compiles it for this machine"))
        };
        // SAFETY: the library is one that this project compiled into a build folder; its initializers only set up
        // static data of Verilator's runtime.
        let library = unsafe { Library::new(path) }.map_err(missing)?;
        // SAFETY: spa_sim.h declares the function so, in every revision.
        let abi =
            unsafe { library.get::<unsafe extern "C" fn() -> u32>(b"spa_sim_abi\0") }.map_err(missing)?;
        // SAFETY: takes nothing, touches nothing.
        let abi = unsafe { abi() };
        if abi != ABI {
            return Err(failed(format!(
                "its interface is revision {abi}, this program needs {ABI}; generate the build again"
            )));
        }
        // SAFETY: the revision is ours, so all declarations are those of spa_sim.h.
        let (line_bytes, create, clock, idle, trace, destroy) = unsafe {
            (
                *library.get::<unsafe extern "C" fn() -> u32>(b"spa_sim_line_bytes\0").map_err(missing)?,
                *library
                    .get::<unsafe extern "C" fn(u32) -> *mut c_void>(b"spa_sim_create\0")
                    .map_err(missing)?,
                *library.get::<Clock>(b"spa_sim_clock\0").map_err(missing)?,
                *library.get::<Idle>(b"spa_sim_idle\0").map_err(missing)?,
                *library.get::<Trace>(b"spa_sim_trace\0").map_err(missing)?,
                *library.get::<Destroy>(b"spa_sim_destroy\0").map_err(missing)?,
            )
        };
        // SAFETY: as declared; the object is destroyed once, in `drop`.
        let card = NonNull::new(unsafe { create(seed) })
            .ok_or_else(|| failed("it found no memory for the model".to_string()))?;
        // SAFETY: takes nothing, touches nothing.
        let line_bytes = unsafe { line_bytes() } as usize;
        Ok(Self { card, clock, idle, trace, destroy, line_bytes, _library: library })
    }

    /// Bytes of a line: 16, 32 or 64.
    pub fn line_bytes(&self) -> usize {
        self.line_bytes
    }

    /// One cycle.
    pub fn clock(&mut self, inputs: &Inputs, outputs: &mut Outputs) {
        // SAFETY: `card` is alive; both structures have the layout of spa_sim.h and live through the call.
        unsafe { (self.clock)(self.card.as_ptr(), inputs, outputs) }
    }

    /// Up to `cycles` cycles with constant inputs; stops before the first in which the card wants memory.
    pub fn idle(&mut self, inputs: &Inputs, outputs: &mut Outputs, cycles: u64) -> u64 {
        // SAFETY: as in `clock`.
        unsafe { (self.idle)(self.card.as_ptr(), inputs, outputs, cycles) }
    }

    /// Starts a trace; false if this library cannot.
    pub fn trace(&mut self, path: &Path) -> bool {
        let Ok(path) = CString::new(path.as_os_str().as_encoded_bytes()) else { return false };
        // SAFETY: `path` ends in 0 and lives through the call, which copies it.
        unsafe { (self.trace)(self.card.as_ptr(), path.as_ptr()) == 0 }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: made by `create` of the same library, not destroyed before.
        unsafe { (self.destroy)(self.card.as_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_those_of_the_header() {
        // 3 x 8 + 64 + 16 and 4 x 8 + 64 + 20, rounded up to 8.
        assert_eq!(size_of::<Inputs>(), 104);
        assert_eq!(size_of::<Outputs>(), 120);
        assert_eq!(std::mem::offset_of!(Inputs, rst_n), 102);
        assert_eq!(std::mem::offset_of!(Outputs, s_rresp), 114);
    }
}
