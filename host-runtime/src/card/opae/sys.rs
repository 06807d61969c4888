//! The C interface of `libopae-c` (OPAE SDK 2), found at run time: nothing of OPAE is needed to compile this program, and a
//! machine without it loses one backend only.

use libloading::Library;
use std::ffi::{c_char, c_int, c_void};
use std::path::{Path, PathBuf};

/// Names that are tried, in this order.
pub const NAMES: [&str; 2] = ["libopae-c.so.2", "libopae-c.so"];
/// Environment variable with the path of another library of the same interface, such as that of a simulation (ASE).
pub const VARIABLE: &str = "SPA_OPAE_LIBRARY";

/// Any handle of OPAE.
pub type Handle = *mut c_void;
/// What every call returns; 0 is success.
pub type Code = c_int;

/// Object type of an accelerator.
pub const ACCELERATOR: c_int = 1;
/// [`Api::prepare_buffer`]: no message of the library itself if there is no memory.
pub const BUFFER_QUIET: c_int = 2;

macro_rules! api {
    ($($field:ident = $symbol:literal ($($argument:ty),*);)*) => {
        /// The functions that are used, as opae/fpga.h declares them.
        #[derive(Debug)]
        #[allow(missing_docs)] // the names are those of the library
        pub struct Api {
            $(pub $field: unsafe extern "C" fn($($argument),*) -> Code,)*
            pub error_text: unsafe extern "C" fn(Code) -> *const c_char,
            /// Where the library was found.
            pub path: PathBuf,
            // Dropped last: the functions live in it.
            _library: Library,
        }

        impl Api {
            /// Finds all functions; names the library and the first function that it lacks.
            fn resolve(library: Library, path: &Path) -> Result<Self, String> {
                $(
                    // SAFETY: opae/fpga.h of every 2.x release declares the function so.
                    let $field = *unsafe { library.get(concat!($symbol, "\0").as_bytes()) }
                        .map_err(|_| lacks(path, $symbol))?;
                )*
                // SAFETY: as above.
                let error_text = *unsafe { library.get(b"fpgaErrStr\0") }.map_err(|_| lacks(path, "fpgaErrStr"))?;
                Ok(Self { $($field,)* error_text, path: path.to_path_buf(), _library: library })
            }
        }
    };
}

api! {
    initialize = "fpgaInitialize" (*const c_char);
    get_properties = "fpgaGetProperties" (Handle, *mut Handle);
    destroy_properties = "fpgaDestroyProperties" (*mut Handle);
    set_object_type = "fpgaPropertiesSetObjectType" (Handle, c_int);
    set_guid = "fpgaPropertiesSetGUID" (Handle, *const u8);
    set_segment = "fpgaPropertiesSetSegment" (Handle, u16);
    set_bus = "fpgaPropertiesSetBus" (Handle, u8);
    set_device = "fpgaPropertiesSetDevice" (Handle, u8);
    set_function = "fpgaPropertiesSetFunction" (Handle, u8);
    get_segment = "fpgaPropertiesGetSegment" (Handle, *mut u16);
    get_bus = "fpgaPropertiesGetBus" (Handle, *mut u8);
    get_device = "fpgaPropertiesGetDevice" (Handle, *mut u8);
    get_function = "fpgaPropertiesGetFunction" (Handle, *mut u8);
    enumerate = "fpgaEnumerate" (*const Handle, u32, *mut Handle, u32, *mut u32);
    destroy_token = "fpgaDestroyToken" (*mut Handle);
    open = "fpgaOpen" (Handle, *mut Handle, c_int);
    close = "fpgaClose" (Handle);
    reset = "fpgaReset" (Handle);
    map_mmio = "fpgaMapMMIO" (Handle, u32, *mut *mut u64);
    unmap_mmio = "fpgaUnmapMMIO" (Handle, u32);
    read_mmio64 = "fpgaReadMMIO64" (Handle, u32, u64, *mut u64);
    write_mmio64 = "fpgaWriteMMIO64" (Handle, u32, u64, u64);
    prepare_buffer = "fpgaPrepareBuffer" (Handle, u64, *mut *mut c_void, *mut u64, c_int);
    get_io_address = "fpgaGetIOAddress" (Handle, u64, *mut u64);
    release_buffer = "fpgaReleaseBuffer" (Handle, u64);
}

fn lacks(path: &Path, symbol: &str) -> String {
    format!("'{}' has no function {symbol}; libopae-c of OPAE SDK 2 is needed", path.display())
}

impl Api {
    /// Loads the library at `path`, else that of [`VARIABLE`], else the first of [`NAMES`] that the system finds.
    ///
    /// # Errors
    /// One sentence that says what was tried and what to do.
    pub fn load(path: Option<&Path>) -> Result<Self, String> {
        let named = path.map(Path::to_path_buf).or_else(|| std::env::var_os(VARIABLE).map(PathBuf::from));
        if let Some(path) = named {
            // SAFETY: the user names a library of OPAE's interface; its initialisers look for cards and read its settings.
            return match unsafe { Library::new(&path) } {
                Ok(library) => Self::resolve(library, &path),
                Err(error) => Err(format!("failed to load the OPAE library '{}': {error}", path.display())),
            };
        }
        for name in NAMES {
            // SAFETY: as above, for the library of the system.
            if let Ok(library) = unsafe { Library::new(name) } {
                return Self::resolve(library, Path::new(name));
            }
        }
        Err(format!(
            "no OPAE library on this machine ({}); install the OPAE SDK 2 of your card, or name a library in {VARIABLE}",
            NAMES.join(", ")
        ))
    }
}
