//! The three hashes that backends are compared by (contract §8).

use crate::entry::Message;
use crate::histogram::Count;
use sha2::{Digest, Sha256};

/// SHA-256 of labels, histogram and messages, lower-case hex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hashes {
    /// Of the labels after the last iteration, u8.
    pub labels: String,
    /// Of the histogram, u16 LE (sums of several chains: u32 LE).
    pub histogram: String,
    /// Of the sorted messages, u32 LE, u8, u32 LE each.
    pub messages: String,
}

/// SHA-256 of `bytes`, lower-case hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Hash of little-endian u16 words, without a copy of the whole.
pub fn hash_u16(words: &[u16]) -> String {
    let mut hasher = Hasher::default();
    hasher.counts(words);
    hasher.finish()
}

/// Hash of little-endian u32 words.
pub fn hash_u32(words: &[u32]) -> String {
    let mut hasher = Hasher::default();
    hasher.counts(words);
    hasher.finish()
}

/// Hash of a multiset of messages: sorts them by (RV, label, count).
pub fn hash_messages(messages: &mut [Message]) -> String {
    let mut hasher = Hasher::default();
    hasher.messages(messages);
    hasher.finish()
}

/// The hash of something that comes piece by piece, in its order.
#[derive(Debug, Clone, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// The next counts of a histogram, as little-endian words.
    pub fn counts<C: Count>(&mut self, counts: &[C]) {
        let mut buffer = [0_u8; 8192];
        for chunk in counts.chunks(buffer.len() / C::BYTES) {
            for (bytes, count) in buffer.chunks_exact_mut(C::BYTES).zip(chunk) {
                count.put(bytes);
            }
            self.0.update(&buffer[..chunk.len() * C::BYTES]);
        }
    }

    /// The next messages: sorts them; their RVs must all be beyond those of the pieces before.
    pub fn messages(&mut self, messages: &mut [Message]) {
        feed(&mut self.0, messages);
    }

    /// SHA-256 of everything, lower-case hex.
    pub fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}

/// Labels and messages of several chains, one chain after another (contract §8).
#[derive(Debug, Clone, Default)]
pub struct ChainHasher {
    labels: Sha256,
    messages: Sha256,
}

impl ChainHasher {
    /// The next chain; sorts its messages.
    pub fn add(&mut self, labels: &[u8], messages: &mut [Message]) {
        self.labels.update(labels);
        feed(&mut self.messages, messages);
    }

    /// Hash of all labels, and of all messages.
    pub fn finish(self) -> (String, String) {
        (hex(&self.labels.finalize()), hex(&self.messages.finalize()))
    }
}

/// Sorts messages and adds them.
fn feed(hasher: &mut Sha256, messages: &mut [Message]) {
    messages.sort_unstable();
    for chunk in messages.chunks(1024) {
        let mut bytes = Vec::with_capacity(chunk.len() * 9);
        for message in chunk {
            bytes.extend_from_slice(&message.rv.to_le_bytes());
            bytes.push(message.label);
            bytes.extend_from_slice(&message.count.to_le_bytes());
        }
        hasher.update(&bytes);
    }
}

fn hex(digest: &[u8]) -> String {
    use std::fmt::Write as _;
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing into a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
