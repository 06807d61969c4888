//! The label log: messages in lines (Fig. 3.9b, docs/array.md §2 and §7).

use crate::entry::Message;
use crate::error::Error;
use crate::geometry::{ArrayShape, Tiling};
use crate::hardware::Hardware;

/// Widths of the fields of a message of one build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageFormat {
    /// 32 or 64.
    pub bits: u32,
    /// Bits of the counter, lowest field.
    pub count_bits: u32,
    /// Bits of the label.
    pub label_bits: u32,
    /// Bits of the local RV address.
    pub rv_bits: u32,
    /// Bits of the SPE number, highest field.
    pub spe_bits: u32,
    /// Bits of a line.
    pub line_bits: u32,
}

impl MessageFormat {
    /// The format of a build.
    pub fn new(shape: &ArrayShape, hardware: &Hardware) -> Self {
        Self {
            bits: shape.message_bits(hardware),
            count_bits: hardware.count_bits.into(),
            label_bits: hardware.label_bits.into(),
            rv_bits: shape.rv_bits(),
            spe_bits: shape.spe_bits(),
            line_bits: shape.line_bits,
        }
    }

    /// Messages of a line.
    pub fn per_line(&self) -> usize {
        (self.line_bits / self.bits) as usize
    }

    /// Bytes of a line.
    pub fn line_bytes(&self) -> usize {
        (self.line_bits / 8) as usize
    }

    /// The word of a message with a local address.
    pub fn encode(&self, spe: u32, rv: u32, label: u8, count: u32) -> u64 {
        ((u64::from(spe) << self.rv_bits | u64::from(rv)) << self.label_bits | u64::from(label))
            << self.count_bits
            | u64::from(count)
    }

    /// Decodes whole lines into messages with global addresses; unused slots (count 0) are skipped.
    ///
    /// `first_line` is the index of the first line, for error messages.
    ///
    /// # Errors
    /// [`Error::Log`] for a partial line, or a slot whose SPE, RV or label is outside the job, or whose unused bits are set.
    pub fn decode(
        &self,
        tiling: &Tiling,
        field: (u32, u32, u16),
        first_line: u64,
        bytes: &[u8],
        messages: &mut Vec<Message>,
    ) -> Result<(), Error> {
        let line_bytes = self.line_bytes();
        if !bytes.len().is_multiple_of(line_bytes) {
            return Err(Error::Log {
                place: format!("line {}", first_line + (bytes.len() / line_bytes) as u64),
                cause: format!("only {} of {line_bytes} bytes are there", bytes.len() % line_bytes),
            });
        }
        let size = (self.bits / 8) as usize;
        for (n, word) in bytes.chunks_exact(size).enumerate() {
            let mut buffer = [0; 8];
            buffer[..size].copy_from_slice(word);
            let word = u64::from_le_bytes(buffer);
            if word == 0 {
                continue;
            }
            let message = self.decode_word(tiling, field, word).map_err(|cause| Error::Log {
                place: format!(
                    "line {}, slot {}",
                    first_line + (n / self.per_line()) as u64,
                    n % self.per_line()
                ),
                cause,
            })?;
            messages.push(message);
        }
        Ok(())
    }

    fn decode_word(&self, tiling: &Tiling, field: (u32, u32, u16), word: u64) -> Result<Message, String> {
        let mut rest = word;
        let mut take = |bits: u32| {
            let value = rest & ((1 << bits) - 1);
            rest >>= bits;
            value as u32
        };
        let (count, label, rv, spe) =
            (take(self.count_bits), take(self.label_bits), take(self.rv_bits), take(self.spe_bits));
        let (width, height, labels) = field;
        let (ox, oy) = tiling.origin(spe);
        let (x, y) = (ox + rv % tiling.tile_width, oy + rv / tiling.tile_width);
        if rest != 0 || spe >= tiling.cols * tiling.rows || rv >= tiling.tile_width * tiling.tile_height {
            return Err(format!("message {word:#x} names SPE {spe}, RV {rv}, which the run does not have"));
        }
        if x >= width || y >= height {
            return Err(format!("message {word:#x} is from padding (x {x}, y {y})"));
        }
        if label >= u32::from(labels) || count == 0 {
            return Err(format!("message {word:#x} has label {label}, count {count}"));
        }
        Ok(Message { rv: y * width + x, label: label as u8, count })
    }
}
