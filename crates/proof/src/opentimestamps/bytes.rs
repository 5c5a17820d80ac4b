//! Reads and writes the primitives: bytes, LEB128 numbers, and length-prefixed bytes.

use super::error::OtsError;

/// The bytes that are left to read.
#[derive(Debug)]
pub(super) struct ByteReader<'a>(&'a [u8]);

impl<'a> ByteReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn byte(&mut self) -> Result<u8, OtsError> {
        let (first, rest) = self.0.split_first().ok_or(OtsError::UnexpectedEnd)?;
        self.0 = rest;
        Ok(*first)
    }

    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], OtsError> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(OtsError::UnexpectedEnd)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], OtsError> {
        self.take(N)?.try_into().map_err(|_| OtsError::UnexpectedEnd)
    }

    /// LEB128: seven bits per byte, lowest first.
    pub(super) fn number(&mut self) -> Result<u64, OtsError> {
        let mut value = 0_u64;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits.checked_shl(shift).is_none_or(|moved| moved >> shift != bits) {
                return Err(OtsError::NumberTooLarge);
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(OtsError::NumberTooLarge)
    }

    pub(super) fn length_prefixed(&mut self, most: usize) -> Result<&'a [u8], OtsError> {
        let length = usize::try_from(self.number()?).map_err(|_| OtsError::NumberTooLarge)?;
        if length > most {
            return Err(OtsError::TooLarge);
        }
        self.take(length)
    }

    pub(super) fn expect_end(&self) -> Result<(), OtsError> {
        if self.0.is_empty() { Ok(()) } else { Err(OtsError::TrailingBytes) }
    }
}

pub(super) fn write_number(out: &mut Vec<u8>, mut value: u64) {
    loop {
        // Seven bits always fit.
        let bits = u8::try_from(value & 0x7f).unwrap_or_default();
        value >>= 7;
        if value == 0 {
            out.push(bits);
            return;
        }
        out.push(bits | 0x80);
    }
}

pub(super) fn write_length_prefixed(out: &mut Vec<u8>, bytes: &[u8]) {
    write_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length() {
        for value in [0, 1, 0x7f, 0x80, 300, 923_118, u64::from(u32::MAX), u64::MAX] {
            let mut out = Vec::new();
            write_number(&mut out, value);
            let mut reader = ByteReader::new(&out);
            assert_eq!((reader.number(), reader.expect_end()), (Ok(value), Ok(())), "{value}");
        }
        // 300 as every description of LEB128 writes it.
        let mut out = Vec::new();
        write_number(&mut out, 300);
        assert_eq!(out, [0xac, 0x02]);
    }

    #[test]
    fn numbers_that_do_not_fit_or_do_not_end() {
        for (bytes, fault) in [
            (&[0xff; 11][..], OtsError::NumberTooLarge),
            (
                &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02],
                OtsError::NumberTooLarge,
            ),
            (&[0x80; 10], OtsError::NumberTooLarge),
            (&[0x80; 3], OtsError::UnexpectedEnd),
            (&[], OtsError::UnexpectedEnd),
        ] {
            assert_eq!(ByteReader::new(bytes).number(), Err(fault), "{bytes:?}");
        }
        assert_eq!(ByteReader::new(&[3, 1, 2]).length_prefixed(9), Err(OtsError::UnexpectedEnd));
        assert_eq!(ByteReader::new(&[3, 1, 2, 3]).length_prefixed(2), Err(OtsError::TooLarge));
    }
}
