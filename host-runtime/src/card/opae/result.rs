//! OPAE calls that either succeed or say what failed, and owners of everything that must be given back.

use super::sys::{self, Api, Code, Handle};
use crate::card::CardError;
use serde::Deserialize;
use std::ffi::CStr;
use std::fmt;
use std::ptr;
use std::str::FromStr;
use std::sync::Arc;

/// Codes that are explained beyond the library's own words.
const BUSY: Code = 2;
const NO_DRIVER: Code = 7;
const NO_ACCESS: Code = 9;

/// Turns a code into an error that names the call.
pub fn check(api: &Api, call: &'static str, code: Code) -> Result<(), CardError> {
    if code == 0 {
        return Ok(());
    }
    // SAFETY: takes any number and returns a text that lives as long as the library.
    let text = unsafe { CStr::from_ptr((api.error_text)(code)) }.to_string_lossy().into_owned();
    let hint = match code {
        BUSY => "; another process has the card",
        NO_DRIVER => "; load the kernel driver of the card (module dfl-afu or intel-fpga-afu)",
        NO_ACCESS => "; allow this user to open the device files of the card",
        _ => "",
    };
    Err(CardError::Opae { call, cause: format!("{text} (code {code}){hint}") })
}

/// Address of a card on the PCI bus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct PciAddress {
    /// Segment (domain).
    pub segment: u16,
    /// Bus.
    pub bus: u8,
    /// Device.
    pub device: u8,
    /// Function.
    pub function: u8,
}

impl fmt::Display for PciAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:02x}:{:02x}.{:x}", self.segment, self.bus, self.device, self.function)
    }
}

impl TryFrom<String> for PciAddress {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl FromStr for PciAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("'{text}' is no PCI address; give SSSS:BB:DD.F or BB:DD.F, such as 0000:5e:00.0");
        let (front, function) = text.rsplit_once('.').ok_or_else(wrong)?;
        let parts: Vec<&str> = front.split(':').collect();
        let (segment, bus, device) = match parts[..] {
            [segment, bus, device] => (segment, bus, device),
            [bus, device] => ("0", bus, device),
            _ => return Err(wrong()),
        };
        let byte = |text: &str, limit: u8| {
            u8::from_str_radix(text, 16).ok().filter(|&value| value <= limit).ok_or_else(wrong)
        };
        Ok(Self {
            segment: u16::from_str_radix(segment, 16).map_err(|_| wrong())?,
            bus: byte(bus, 0xFF)?,
            device: byte(device, 31)?,
            function: byte(function, 7)?,
        })
    }
}

/// Properties: a filter, or those of a card.
struct Properties<'a> {
    api: &'a Api,
    handle: Handle,
}

impl<'a> Properties<'a> {
    fn new(api: &'a Api, token: Handle) -> Result<Self, CardError> {
        let mut handle = ptr::null_mut();
        // SAFETY: a null token asks for an empty filter; the handle is destroyed in `drop`.
        check(api, "fpgaGetProperties", unsafe { (api.get_properties)(token, &raw mut handle) })?;
        Ok(Self { api, handle })
    }

    fn filter(api: &'a Api, guid: &[u8; 16], address: Option<PciAddress>) -> Result<Self, CardError> {
        let filter = Self::new(api, ptr::null_mut())?;
        let handle = filter.handle;
        // SAFETY: the handle is alive; the GUID is copied.
        unsafe {
            check(api, "fpgaPropertiesSetObjectType", (api.set_object_type)(handle, sys::ACCELERATOR))?;
            check(api, "fpgaPropertiesSetGUID", (api.set_guid)(handle, guid.as_ptr()))?;
            if let Some(address) = address {
                check(api, "fpgaPropertiesSetSegment", (api.set_segment)(handle, address.segment))?;
                check(api, "fpgaPropertiesSetBus", (api.set_bus)(handle, address.bus))?;
                check(api, "fpgaPropertiesSetDevice", (api.set_device)(handle, address.device))?;
                check(api, "fpgaPropertiesSetFunction", (api.set_function)(handle, address.function))?;
            }
        }
        Ok(filter)
    }

    fn address(&self) -> Result<PciAddress, CardError> {
        let (api, handle) = (self.api, self.handle);
        let mut address = PciAddress { segment: 0, bus: 0, device: 0, function: 0 };
        // SAFETY: the handle is alive; each call writes one number of the declared type.
        unsafe {
            check(api, "fpgaPropertiesGetSegment", (api.get_segment)(handle, &raw mut address.segment))?;
            check(api, "fpgaPropertiesGetBus", (api.get_bus)(handle, &raw mut address.bus))?;
            check(api, "fpgaPropertiesGetDevice", (api.get_device)(handle, &raw mut address.device))?;
            check(api, "fpgaPropertiesGetFunction", (api.get_function)(handle, &raw mut address.function))?;
        }
        Ok(address)
    }
}

impl Drop for Properties<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `new`, destroyed once. There is nothing to do about a failure.
        unsafe { (self.api.destroy_properties)(&raw mut self.handle) };
    }
}

/// A card that was found, not yet opened.
#[derive(Debug)]
pub struct Token {
    api: Arc<Api>,
    handle: Handle,
    /// Where it is.
    pub address: PciAddress,
}

impl Token {
    /// All accelerators with `guid`, or the one at `address` if it has it.
    ///
    /// # Errors
    /// [`CardError::Opae`] if a call fails.
    pub fn find(
        api: &Arc<Api>,
        guid: &[u8; 16],
        address: Option<PciAddress>,
    ) -> Result<Vec<Self>, CardError> {
        let filter = Properties::filter(api, guid, address)?;
        let filters = [filter.handle];
        let mut count = 0;
        let enumerate = |handles: &mut [Handle], count: &mut u32| {
            let room = handles.len() as u32;
            let tokens = if handles.is_empty() { ptr::null_mut() } else { handles.as_mut_ptr() };
            // SAFETY: one living filter; `tokens` has room for `room` handles.
            let code = unsafe { (api.enumerate)(filters.as_ptr(), 1, tokens, room, &raw mut *count) };
            check(api, "fpgaEnumerate", code)
        };
        enumerate(&mut [], &mut count)?;
        let mut handles = vec![ptr::null_mut(); count as usize];
        if handles.is_empty() {
            return Ok(Vec::new());
        }
        enumerate(&mut handles, &mut count)?;
        // A card may have gone between the two calls. Every token is owned before anything can fail.
        let nowhere = PciAddress { segment: 0, bus: 0, device: 0, function: 0 };
        let own = |handle: Handle| Self { api: Arc::clone(api), handle, address: nowhere };
        let mut tokens: Vec<Self> =
            handles.into_iter().take(count as usize).filter(|handle| !handle.is_null()).map(own).collect();
        for token in &mut tokens {
            token.address = Properties::new(api, token.handle)?.address()?;
        }
        Ok(tokens)
    }

    /// Opens the card for this process alone.
    ///
    /// # Errors
    /// [`CardError::Opae`], for instance if another process has it.
    pub fn open(&self) -> Result<Connection, CardError> {
        let api = &self.api;
        let mut handle = ptr::null_mut();
        // SAFETY: the token is alive; the handle is closed by `Connection`.
        check(api, "fpgaOpen", unsafe { (api.open)(self.handle, &raw mut handle, 0) })?;
        let mut connection = Connection { api: Arc::clone(api), handle, mapped: false };
        // SAFETY: without a pointer the library maps the registers for its own functions.
        check(api, "fpgaMapMMIO", unsafe { (api.map_mmio)(handle, 0, ptr::null_mut()) })?;
        connection.mapped = true;
        Ok(connection)
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        // SAFETY: given by `enumerate`, destroyed once. There is nothing to do about a failure.
        unsafe { (self.api.destroy_token)(&raw mut self.handle) };
    }
}

/// Memory that card and host share, in one page.
#[derive(Debug, Clone, Copy)]
pub struct Pinned {
    /// Here.
    pub host: *mut u8,
    /// As the card sees it.
    pub card: u64,
    /// Bytes asked for.
    pub bytes: usize,
    id: u64,
}

/// An opened card.
#[derive(Debug)]
pub struct Connection {
    api: Arc<Api>,
    handle: Handle,
    mapped: bool,
}

impl Connection {
    /// Reads a register.
    pub fn read(&self, offset: u32) -> Result<u64, CardError> {
        let mut value = 0;
        // SAFETY: the handle is open and mapped; the offset lies in the 64 KiB of the map.
        let code = unsafe { (self.api.read_mmio64)(self.handle, 0, offset.into(), &raw mut value) };
        check(&self.api, "fpgaReadMMIO64", code)?;
        Ok(value)
    }

    /// Writes a register.
    pub fn write(&self, offset: u32, value: u64) -> Result<(), CardError> {
        // SAFETY: as in `read`.
        let code = unsafe { (self.api.write_mmio64)(self.handle, 0, offset.into(), value) };
        check(&self.api, "fpgaWriteMMIO64", code)
    }

    /// Resets the accelerator; what memory it had asked for is dropped.
    pub fn reset(&self) -> Result<(), CardError> {
        // SAFETY: the handle is open.
        check(&self.api, "fpgaReset", unsafe { (self.api.reset)(self.handle) })
    }

    /// Pins `bytes` bytes.
    pub fn prepare(&self, bytes: usize) -> Result<Pinned, CardError> {
        let (mut host, mut id, mut card) = (ptr::null_mut(), 0, 0);
        // SAFETY: the library allocates and writes address and number.
        let code = unsafe {
            (self.api.prepare_buffer)(
                self.handle,
                bytes as u64,
                &raw mut host,
                &raw mut id,
                sys::BUFFER_QUIET,
            )
        };
        check(&self.api, "fpgaPrepareBuffer", code)?;
        // SAFETY: the number is that of a living buffer.
        let code = unsafe { (self.api.get_io_address)(self.handle, id, &raw mut card) };
        let pinned = Pinned { host: host.cast(), card, bytes, id };
        if let Err(error) = check(&self.api, "fpgaGetIOAddress", code) {
            self.release(pinned)?;
            return Err(error);
        }
        Ok(pinned)
    }

    /// Gives a buffer back. The card must not use it any more.
    pub fn release(&self, pinned: Pinned) -> Result<(), CardError> {
        // SAFETY: made by `prepare`; the owner forgets it.
        check(&self.api, "fpgaReleaseBuffer", unsafe { (self.api.release_buffer)(self.handle, pinned.id) })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: opened once, closed once. There is nothing to do about a failure.
        unsafe {
            if self.mapped {
                (self.api.unmap_mmio)(self.handle, 0);
            }
            (self.api.close)(self.handle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        let address: PciAddress = "0000:5e:00.1".parse().unwrap();
        assert_eq!(address, PciAddress { segment: 0, bus: 0x5e, device: 0, function: 1 });
        assert_eq!(address.to_string(), "0000:5e:00.1");
        assert_eq!("5e:00.1".parse::<PciAddress>(), Ok(address));
        for wrong in ["", "5e", "5e:00", "5e:20.0", "5e:00.8", "x:5e:00.0", "1:2:3:4.0"] {
            assert!(wrong.parse::<PciAddress>().unwrap_err().contains("SSSS:BB:DD.F"), "{wrong}");
        }
    }
}
