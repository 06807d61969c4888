//! The only unsafe code of the CUDA backend: loading the libraries, NVRTC, NVML, launches.
//!
//! `cudarc` panics when a library is missing, so [`load_driver`] and [`load_compiler`] must succeed before anything else
//! of it is called.

use super::error::CudaError;
use cudarc::driver::sys::CUresult;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaStream, DeviceRepr, DriverError, LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::{result as nvrtc, sys as nvrtc_sys};
use std::ffi::{CStr, CString};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Checks that libcuda can be loaded.
///
/// # Errors
/// [`CudaError::NoDriver`] names what was tried.
pub fn load_driver() -> Result<(), CudaError> {
    // SAFETY: loading libcuda runs its initialisers, which have no preconditions.
    if unsafe { cudarc::driver::sys::is_culib_present() } {
        return Ok(());
    }
    Err(CudaError::NoDriver { tried: "libcuda.so, libcuda.so.1 and libnvcuda.so".into() })
}

/// Loads NVRTC: from `SPA_NVRTC`, from the private tools folder, or from where the system finds it.
///
/// # Errors
/// [`CudaError::NoCompiler`] names what was tried.
pub fn load_compiler() -> Result<(), CudaError> {
    static LOADED: OnceLock<Result<(), String>> = OnceLock::new();
    let loaded = LOADED.get_or_init(|| {
        let folders = compiler_folders();
        for folder in &folders {
            if preload(folder) {
                break;
            }
        }
        // SAFETY: loading libnvrtc runs its initialisers, which have no preconditions.
        if unsafe { nvrtc_sys::is_culib_present() } {
            return Ok(());
        }
        let folders: Vec<String> = folders.iter().map(|f| f.display().to_string()).collect();
        Err(format!("libnvrtc.so.13 in the library path and in {}", folders.join(", ")))
    });
    loaded.clone().map_err(|tried| CudaError::NoCompiler { tried })
}

/// Folders that may hold NVRTC, best first.
fn compiler_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    if let Some(folder) = std::env::var_os("SPA_NVRTC") {
        folders.push(folder.into());
    }
    let wheel = Path::new(".tools/cuda/nvidia/cu13/lib");
    let here = std::env::current_dir().unwrap_or_default();
    folders.extend(here.ancestors().map(|a| a.join(wheel)).filter(|p| p.is_dir()));
    folders.push("/usr/local/cuda-13.0/lib64".into());
    folders.push("/usr/local/cuda/lib64".into());
    folders
}

/// Loads NVRTC from `folder` for good, so that later look-ups by its bare name find it.
fn preload(folder: &Path) -> bool {
    let open = |name: &str| {
        // SAFETY: NVRTC's initialisers have no preconditions; the handle is never closed.
        unsafe { libloading::Library::new(folder.join(name)) }.map(std::mem::forget).is_ok()
    };
    // NVRTC looks for its built-ins by name; they must be there first.
    folder.join("libnvrtc.so.13").is_file() && {
        open("libnvrtc-builtins.so.13.0");
        open("libnvrtc.so.13")
    }
}

/// Version of the loaded NVRTC, `13.0`.
///
/// # Errors
/// [`CudaError::NoCompiler`] if there is none, [`CudaError::Driver`] if it does not answer.
pub fn compiler_version() -> Result<String, CudaError> {
    load_compiler()?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both pointers are valid for the call; the library is loaded.
    let code = unsafe { nvrtc_sys::nvrtcVersion(&mut major, &mut minor) };
    code.result()
        .map_err(|e| CudaError::Driver { what: "ask NVRTC for its version", cause: e.to_string() })?;
    Ok(format!("{major}.{minor}"))
}

/// Version of CUDA that the driver runs, `13.0`; empty if it does not answer.
pub fn driver_version() -> String {
    let mut version = 0;
    // SAFETY: the pointer is valid for the call; callers hold an open card, so the library is loaded.
    match unsafe { cudarc::driver::sys::cuDriverGetVersion(&mut version) }.result() {
        Ok(()) => format!("{}.{}", version / 1000, version % 1000 / 10),
        Err(_) => String::new(),
    }
}

/// Code for one card and what the assembler said about it.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// The cubin.
    pub cubin: Vec<u8>,
    /// The program log: registers and spills of every kernel.
    pub log: String,
}

/// Compiles `source` with `options`.
///
/// # Errors
/// [`CudaError::Compile`] with NVRTC's log; [`CudaError::NoCompiler`].
pub fn compile(
    kernel: &'static str,
    arch: &str,
    source: &str,
    options: &[String],
) -> Result<Compiled, CudaError> {
    load_compiler()?;
    let failed = |log: String| CudaError::Compile { kernel, arch: arch.into(), log };
    let text = CString::new(source).map_err(|e| failed(e.to_string()))?;
    let name = CString::new(kernel).map_err(|e| failed(e.to_string()))?;
    let program = Program(nvrtc::create_program(&text, Some(&name)).map_err(|e| failed(e.to_string()))?);
    // SAFETY: the program was created above and lives until the end of this function; no option contains a zero byte,
    // since they are made from numbers and fixed text.
    let compiled = unsafe { nvrtc::compile_program(program.0, options) };
    // SAFETY: as above.
    let log = unsafe { nvrtc::get_program_log(program.0) }.map_err(|e| failed(e.to_string()))?;
    let log = CStr::from_bytes_until_nul(&log.iter().map(|&c| c as u8).collect::<Vec<_>>())
        .map(|c| c.to_string_lossy().into_owned())
        .unwrap_or_default();
    if let Err(error) = compiled {
        return Err(failed(format!("{error}\n{log}")));
    }
    let mut bytes = 0;
    // SAFETY: the program is valid and compiled; the pointer is valid for the call.
    unsafe { nvrtc_sys::nvrtcGetCUBINSize(program.0, &mut bytes) }
        .result()
        .map_err(|e| failed(e.to_string()))?;
    let mut cubin = vec![0_u8; bytes];
    // SAFETY: the buffer has the size that NVRTC asked for.
    unsafe { nvrtc_sys::nvrtcGetCUBIN(program.0, cubin.as_mut_ptr().cast()) }
        .result()
        .map_err(|e| failed(e.to_string()))?;
    Ok(Compiled { cubin, log })
}

/// An NVRTC program, destroyed on drop.
struct Program(nvrtc_sys::nvrtcProgram);

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: created by `create_program` and destroyed once. A failure leaks memory and nothing else.
        let _ = unsafe { nvrtc::destroy_program(self.0) };
    }
}

/// Plain data that a kernel takes by value.
///
/// # Safety
/// The type must be `repr(C)` with the layout of the kernel's struct.
pub unsafe trait KernelParams: Copy {}

/// Carrier that lets [`KernelParams`] pass through cudarc.
#[repr(transparent)]
#[derive(Clone, Copy)]
struct ByValue<P>(P);

// SAFETY: `P: KernelParams` is plain data of the kernel's own layout.
unsafe impl<P: KernelParams> DeviceRepr for ByValue<P> {}

/// Launches `function` with `params` and then `scalars`; `cooperative` where blocks wait for each other.
///
/// # Errors
/// The driver's refusal.
///
/// # Safety
/// The pointers in `params` must belong to live buffers of the sizes that the kernel expects, on this stream's context,
/// and `params` and `scalars` must match the kernel's signature.
pub unsafe fn launch<P: KernelParams>(
    stream: &Arc<CudaStream>,
    function: &CudaFunction,
    config: LaunchConfig,
    cooperative: bool,
    params: &P,
    scalars: &[u32],
) -> Result<(), DriverError> {
    let params = ByValue(*params);
    let mut builder = stream.launch_builder(function);
    builder.arg(&params);
    for scalar in scalars {
        builder.arg(scalar);
    }
    // SAFETY: the caller's promise.
    unsafe { if cooperative { builder.launch_cooperative(config) } else { builder.launch(config) } }?;
    Ok(())
}

/// A word of the host's memory that kernels write while the host looks on.
pub struct Mailbox {
    word: NonNull<AtomicU64>,
    context: Arc<CudaContext>,
}

// SAFETY: the word is owned, and only ever read and written atomically.
unsafe impl Send for Mailbox {}

impl Mailbox {
    /// An empty one.
    ///
    /// # Errors
    /// The driver's refusal.
    pub fn new(context: Arc<CudaContext>) -> Result<Self, DriverError> {
        context.bind_to_thread()?;
        // SAFETY: without flags the memory is for the current context, which may use the address as it is.
        let word = unsafe { cudarc::driver::result::malloc_host(size_of::<u64>(), 0) }?;
        let word = NonNull::new(word.cast()).ok_or(DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY))?;
        let mailbox = Self { word, context };
        mailbox.empty();
        Ok(mailbox)
    }

    /// Where kernels find it.
    pub fn address(&self) -> u64 {
        self.word.as_ptr() as u64
    }

    /// Takes out what is in it.
    pub fn empty(&self) {
        self.word().store(0, Ordering::Release);
    }

    /// What was written, if anything was.
    pub fn content(&self) -> Option<NonZeroU64> {
        NonZeroU64::new(self.word().load(Ordering::Acquire))
    }

    fn word(&self) -> &AtomicU64 {
        // SAFETY: allocated by `new`, aligned to pages, and free only after the last use of `self`; every value is a valid u64.
        unsafe { self.word.as_ref() }
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        // A kernel that did not fail has written by then, whatever became of its launch. A card that fails has no use for the page.
        if self.context.bind_to_thread().is_err() || self.context.synchronize().is_err() {
            return;
        }
        // SAFETY: allocated by `malloc_host` and freed once; no kernel runs that knows the address. A failure leaks a page and nothing else.
        let _ = unsafe { cudarc::driver::result::free_host(self.word.as_ptr().cast()) };
    }
}

/// Opens a library whose initialisers have no preconditions (NVML); none if it is not there.
pub fn open_library(name: &str) -> Option<libloading::Library> {
    // SAFETY: the callers' promise: loading NVML runs initialisers without preconditions.
    unsafe { libloading::Library::new(name) }.ok()
}

type NvmlInit = unsafe extern "C" fn() -> i32;
type NvmlByBus = unsafe extern "C" fn(*const std::ffi::c_char, *mut usize) -> i32;
type NvmlEnergy = unsafe extern "C" fn(usize, *mut u64) -> i32;

/// Starts NVML and finds the card at a PCI address, `0000:1b:00.0`.
pub fn nvml_handle(library: &libloading::Library, bus: &str) -> Option<usize> {
    let bus = CString::new(bus).ok()?;
    let mut handle = 0;
    // SAFETY: both functions have these signatures in every version of NVML (nvml.h: nvmlReturn_t is an int, nvmlDevice_t a
    // pointer); the text and the handle live during the calls.
    let found = unsafe {
        let init = library.get::<NvmlInit>(b"nvmlInit_v2\0").ok()?;
        let by_bus = library.get::<NvmlByBus>(b"nvmlDeviceGetHandleByPciBusId_v2\0").ok()?;
        init() == 0 && by_bus(bus.as_ptr(), &mut handle) == 0
    };
    found.then_some(handle)
}

/// Millijoules that the card has used since its driver was loaded.
pub fn nvml_millijoules(library: &libloading::Library, handle: usize) -> Option<u64> {
    let mut energy = 0;
    // SAFETY: the signature of nvml.h; `handle` is one of this library, which is loaded and initialised.
    let told = unsafe {
        let energy_of = library.get::<NvmlEnergy>(b"nvmlDeviceGetTotalEnergyConsumption\0").ok()?;
        energy_of(handle, &mut energy) == 0
    };
    told.then_some(energy)
}
