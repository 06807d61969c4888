//! One card: its context, memory with clear out-of-memory errors, loaded kernels, the message log.

use super::compile::Variant;
use super::error::CudaError;
use super::sys::{self, Mailbox};
use crate::spill::Spill;
use cudarc::driver::sys::{CUdevice_attribute, CUevent_flags, CUresult};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaModule, CudaSlice, CudaStream, DevicePtr, DeviceRepr,
    DriverError, ValidAsZeroBits,
};
use spa_model::Message;
use spa_model::fast::Sink as _;
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::Arc;

/// Turns a driver error into ours.
pub fn driver(what: &'static str) -> impl Fn(DriverError) -> CudaError {
    move |error| CudaError::Driver { what, cause: error.to_string() }
}

/// An open card.
#[derive(Debug, Clone)]
pub struct Device {
    /// Where everything is launched.
    pub stream: Arc<CudaStream>,
    /// Name of the card.
    pub name: String,
    /// NVRTC's name of the card's architecture, `sm_90`.
    pub arch: String,
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of shared memory that one block can have.
    pub shared: u32,
    context: Arc<CudaContext>,
}

impl Device {
    /// Opens card `ordinal` of those that the driver shows.
    ///
    /// # Errors
    /// [`CudaError::NoDriver`], [`CudaError::NoCard`], or the driver's failure.
    pub fn open(ordinal: usize) -> Result<Self, CudaError> {
        sys::load_driver()?;
        let (count, cause) = match CudaContext::device_count() {
            Ok(count) => (count, "no error".to_string()),
            Err(error) => (0, error.to_string()),
        };
        if count <= i32::try_from(ordinal).unwrap_or(i32::MAX) {
            return Err(CudaError::NoCard { count, cause });
        }
        let context = CudaContext::new(ordinal).map_err(driver("open the CUDA card"))?;
        let (major, minor) =
            context.compute_capability().map_err(driver("ask for the compute capability"))?;
        let multiprocessors = context
            .attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
            .map_err(driver("count the multiprocessors"))?;
        let shared = context
            .attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
            .map_err(driver("ask for the shared memory of a block"))?;
        Ok(Self {
            stream: context.default_stream(),
            name: context.name().map_err(driver("ask for the card's name"))?,
            arch: format!("sm_{major}{minor}"),
            multiprocessors: multiprocessors as u32,
            shared: shared as u32,
            context,
        })
    }

    /// Cards that the driver shows; 0 without a driver.
    pub fn count() -> usize {
        if sys::load_driver().is_err() {
            return 0;
        }
        CudaContext::device_count().map_or(0, |count| usize::try_from(count).unwrap_or(0))
    }

    fn memory_error(&self, what: &'static str, needed: usize, error: DriverError) -> CudaError {
        if error.0 != CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            return CudaError::Driver { what: "allocate GPU memory", cause: format!("{what}: {error}") };
        }
        let (free, total) = self.context.mem_get_info().unwrap_or((0, 0));
        CudaError::OutOfMemory {
            what,
            needed: needed as u64,
            free: free as u64,
            total: total as u64,
            card: self.name.clone(),
        }
    }

    /// Zeroed memory for `len` elements (at least one, so that every pointer is valid).
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`].
    pub fn zeros<T: DeviceRepr + ValidAsZeroBits>(
        &self,
        what: &'static str,
        len: usize,
    ) -> Result<CudaSlice<T>, CudaError> {
        let len = len.max(1);
        self.stream.alloc_zeros(len).map_err(|error| self.memory_error(what, len * size_of::<T>(), error))
    }

    /// A copy of `data` on the card.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`].
    pub fn upload<T: DeviceRepr + ValidAsZeroBits>(
        &self,
        what: &'static str,
        data: &[T],
    ) -> Result<CudaSlice<T>, CudaError> {
        let mut slice = self.zeros(what, data.len())?;
        if !data.is_empty() {
            self.stream.memcpy_htod(data, &mut slice).map_err(driver("copy to the card"))?;
        }
        Ok(slice)
    }

    /// Copies the first `len` elements back and waits for them.
    ///
    /// # Errors
    /// The driver's failure, also of kernels launched before.
    pub fn download<T: DeviceRepr + Default + Clone>(
        &self,
        slice: &CudaSlice<T>,
        len: usize,
    ) -> Result<Vec<T>, CudaError> {
        self.download_part(slice, 0..len)
    }

    /// The same for elements `part`.
    fn download_part<T: DeviceRepr + Default + Clone>(
        &self,
        slice: &CudaSlice<T>,
        part: Range<usize>,
    ) -> Result<Vec<T>, CudaError> {
        let mut data = vec![T::default(); part.len()];
        if !part.is_empty() {
            let view = slice.try_slice(part.clone()).ok_or_else(|| CudaError::Driver {
                what: "copy from the card",
                cause: format!("elements {part:?} asked of a buffer of {}", slice.len()),
            })?;
            self.stream.memcpy_dtoh(&view, &mut data).map_err(driver("copy from the card"))?;
        }
        self.synchronize()?;
        Ok(data)
    }

    /// Waits until everything launched is done.
    ///
    /// # Errors
    /// The driver's failure, also of kernels launched before.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        self.stream.synchronize().map_err(driver("run a CUDA kernel"))
    }

    /// A point in time on the stream.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn mark(&self) -> Result<CudaEvent, CudaError> {
        self.stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT)).map_err(driver("record an event"))
    }

    /// The same for who only waits for it: without a time, which takes the card longer.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn milestone(&self) -> Result<CudaEvent, CudaError> {
        self.stream
            .record_event(Some(CUevent_flags::CU_EVENT_DISABLE_TIMING))
            .map_err(driver("record an event"))
    }

    /// A stream beside [`Self::stream`], to read what is ready while that works on.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn side_stream(&self) -> Result<Arc<CudaStream>, CudaError> {
        self.context.new_stream().map_err(driver("make a stream"))
    }

    /// A word that kernels write for the host.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn mailbox(&self) -> Result<Mailbox, CudaError> {
        Mailbox::new(Arc::clone(&self.context)).map_err(driver("allocate memory of the host"))
    }

    /// Waits for what kernels that were launched write into `mailbox`; 0 if they end without that. The thread looks all the time: what is
    /// launched next must be ready when they end.
    ///
    /// # Errors
    /// The driver's failure, also of these kernels.
    pub fn wait_for(&self, mailbox: &Mailbox) -> Result<u64, CudaError> {
        /// Looks at the mailbox between two questions whether the kernels still run.
        const LOOKS: u32 = 1000;
        let end = self.milestone()?;
        loop {
            for _ in 0..LOOKS {
                if let Some(content) = mailbox.content() {
                    return Ok(content.get());
                }
                std::hint::spin_loop();
            }
            if end.try_is_complete().map_err(driver("wait for a kernel"))? {
                return Ok(mailbox.content().map_or(0, NonZeroU64::get));
            }
            std::thread::yield_now();
        }
    }

    /// Device address of `slice`.
    pub fn address<T>(&self, slice: &CudaSlice<T>) -> u64 {
        // Everything runs on one stream: nothing to wait for when the guard is dropped.
        slice.device_ptr(&self.stream).0
    }

    /// Address of the card on the PCI bus, `0000:1b:00.0`; none if the driver does not tell.
    pub fn bus_address(&self) -> Option<String> {
        let of = |attribute| self.context.attribute(attribute).ok();
        let domain = of(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)?;
        let bus = of(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)?;
        let device = of(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)?;
        Some(format!("{domain:04x}:{bus:02x}:{device:02x}.0"))
    }

    /// Bytes free on the card.
    pub fn free_memory(&self) -> u64 {
        self.context.mem_get_info().map_or(0, |(free, _)| free as u64)
    }

    /// Compiles (or finds in the cache) and loads `variant`.
    ///
    /// # Errors
    /// [`CudaError::Compile`], [`CudaError::NoCompiler`], or the driver's refusal.
    pub fn load(&self, variant: &Variant) -> Result<Kernels, CudaError> {
        let cubin = variant.cubin(&self.arch)?;
        let module = self.context.load_module(cudarc::nvrtc::Ptx::from_binary(cubin)).map_err(|error| {
            let (compiler, runs) = (sys::compiler_version().unwrap_or_default(), sys::driver_version());
            let cause = format!(
                "{error} (made by NVRTC {compiler} for {}, the driver runs CUDA {runs}; NVRTC 13.0 comes with scripts/gpu.sh --tools)",
                self.arch
            );
            CudaError::Driver { what: "load a compiled CUDA kernel", cause }
        })?;
        Ok(Kernels { module })
    }
}

/// A loaded kernel file.
#[derive(Debug, Clone)]
pub struct Kernels {
    module: Arc<CudaModule>,
}

impl Kernels {
    /// One kernel of the file.
    ///
    /// # Errors
    /// If the file has no such kernel.
    pub fn function(&self, name: &str) -> Result<CudaFunction, CudaError> {
        self.module.load_function(name).map_err(driver("find a kernel in its module"))
    }
}

/// Messages that are copied to the host at once.
const DRAINED: usize = 1 << 22;

/// Messages on the card and those already taken to the host.
#[derive(Debug)]
pub struct MessageLog {
    device: Device,
    buffer: CudaSlice<u64>,
    cursor: CudaSlice<u64>,
    /// Messages that the launches since the last drain may have written, at most.
    bound: u64,
    /// By job of a batch.
    messages: Vec<Vec<Message>>,
    /// Where messages of the only job go from the host, and the width of its field.
    sent: Option<(Arc<Spill>, u32)>,
}

/// `log` as the kernels take it.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct LogAddress {
    messages: u64,
    cursor: u64,
    job: u64,
}

impl LogAddress {
    /// The same for job `job` of a batch, below 256.
    #[must_use]
    pub fn of_job(self, job: usize) -> Self {
        Self { job: (job as u64) << 56, ..self }
    }
}

impl MessageLog {
    /// A log for at least `capacity` messages of `jobs` jobs between two drains.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`].
    pub fn new(device: &Device, capacity: usize, jobs: usize) -> Result<Self, CudaError> {
        Ok(Self {
            device: device.clone(),
            buffer: device.zeros("the message log", capacity)?,
            cursor: device.zeros("the message log", 1)?,
            bound: 0,
            messages: vec![Vec::new(); jobs],
            sent: None,
        })
    }

    /// The same with messages that were sent before, by job.
    #[must_use]
    pub fn with(self, messages: Vec<Vec<Message>>) -> Self {
        Self { messages, ..self }
    }

    /// From now on the messages of the only job go to `spill`; its field is `width` wide.
    pub fn send_to(&mut self, spill: Arc<Spill>, width: u32) {
        self.sent = Some((spill, width));
        self.hand_over();
    }

    fn hand_over(&mut self) {
        let Some((spill, width)) = &self.sent else { return };
        for messages in &mut self.messages {
            messages.sort_unstable_by_key(|message| message.rv);
            for row in messages.chunk_by(|a, b| a.rv / width == b.rv / width) {
                spill.take(row[0].rv / width, row);
            }
            messages.clear();
        }
    }

    /// What kernels take.
    pub fn address(&self) -> LogAddress {
        LogAddress {
            messages: self.device.address(&self.buffer),
            cursor: self.device.address(&self.cursor),
            job: 0,
        }
    }

    /// Messages that fit between two drains.
    pub fn capacity(&self) -> u64 {
        self.buffer.len() as u64
    }

    /// Messages that still fit for certain.
    pub fn room(&self) -> u64 {
        self.capacity() - self.bound
    }

    /// A launch sends `fewer` messages fewer than were reserved for it.
    pub fn give_back(&mut self, fewer: u64) {
        self.bound = self.bound.saturating_sub(fewer);
    }

    /// Makes sure that a launch that sends at most `most` messages finds room: nothing is ever dropped.
    ///
    /// # Errors
    /// If the log is smaller than `most`, or the driver fails.
    pub fn reserve(&mut self, most: u64) -> Result<(), CudaError> {
        if most > self.room() {
            // Most launches send far fewer messages than they may: look before copying.
            self.bound = self.fill()?;
            if most > self.room() {
                self.drain()?;
            }
        }
        if most > self.capacity() {
            let cause = format!("a launch may send {most} messages, the log holds {}", self.capacity());
            return Err(CudaError::Driver { what: "reserve the message log", cause });
        }
        self.bound += most;
        Ok(())
    }

    fn fill(&self) -> Result<u64, CudaError> {
        Ok(self.device.download(&self.cursor, 1)?[0])
    }

    /// Takes all messages to the host.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn drain(&mut self) -> Result<(), CudaError> {
        let fill = self.fill()? as usize;
        for first in (0..fill).step_by(DRAINED) {
            let words = self.device.download_part(&self.buffer, first..fill.min(first + DRAINED))?;
            for word in words {
                let (rv, label, count) = (word as u32, (word >> 32) as u8, (word >> 40) as u32 & 0xffff);
                self.messages[(word >> 56) as usize].push(Message { rv, label, count });
            }
            self.hand_over();
        }
        self.device.stream.memset_zeros(&mut self.cursor).map_err(driver("empty the message log"))?;
        self.bound = 0;
        Ok(())
    }

    /// Moves out all messages, by job.
    ///
    /// # Errors
    /// As [`MessageLog::drain`].
    pub fn take(&mut self) -> Result<Vec<Vec<Message>>, CudaError> {
        self.drain()?;
        let none = vec![Vec::new(); self.messages.len()];
        Ok(std::mem::replace(&mut self.messages, none))
    }

    /// All messages of the first job, which stay here.
    ///
    /// # Errors
    /// As [`MessageLog::drain`].
    pub fn messages(&mut self) -> Result<&[Message], CudaError> {
        self.drain()?;
        Ok(self.messages.first().map_or(&[], Vec::as_slice))
    }
}
