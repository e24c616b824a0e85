//! Containers of plain rows, which go over the wire as their bytes.

use std::io::{self, Write};

use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::container::{DrainContainer, PushInto, SizableContainer};
use timely::dataflow::channels::ContainerBytes;

use crate::coordinate::take;

/// A row with a binary form.
pub(crate) trait Wire: Clone + Send + 'static {
    /// No row has fewer bytes.
    const LEAST: usize;
    /// The number of bytes that `write` writes.
    fn length(&self) -> usize;
    /// Writes the row.
    ///
    /// # Errors
    /// Those of the writer.
    fn write(&self, out: &mut impl Write) -> io::Result<()>;
    /// Takes a row from the front; `None` if the bytes are no row.
    fn read(bytes: &mut &[u8]) -> Option<Self>;
}

/// Rows for one worker. None at all were bytes that are no rows: timely sends no empty list.
#[derive(Clone, Debug)]
pub(crate) struct Rows<T>(pub(crate) Vec<T>);

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Accountable for Rows<T> {
    fn record_count(&self) -> i64 {
        i64::try_from(self.0.len()).expect("a list in memory")
    }
}

impl<T: 'static> DrainContainer for Rows<T> {
    type Item<'a> = T;
    type DrainIter<'a> = std::vec::Drain<'a, T>;
    fn drain(&mut self) -> Self::DrainIter<'_> {
        self.0.drain(..)
    }
}

impl<T> SizableContainer for Rows<T> {
    fn at_capacity(&self) -> bool {
        self.0.len() == self.0.capacity()
    }
    fn ensure_capacity(&mut self, stash: &mut Option<Self>) {
        self.0.ensure_capacity(&mut stash.take().map(|stash| stash.0));
    }
}

impl<T> PushInto<T> for Rows<T> {
    #[inline]
    fn push_into(&mut self, row: T) {
        self.0.push(row);
    }
}

/// The bytes of the number of rows.
const HEAD: usize = 4;

impl<T: Wire> Rows<T> {
    fn read(mut bytes: &[u8]) -> Option<Self> {
        let count = u32::from_le_bytes(take(&mut bytes)?);
        // Room is made for all rows at once, so a few bytes must not promise many.
        if bytes.len() / T::LEAST < count as usize {
            return None;
        }
        let mut rows = Vec::with_capacity(count as usize);
        for _ in 0..count {
            rows.push(T::read(&mut bytes)?);
        }
        Some(Self(rows))
    }
}

impl<T: Wire> ContainerBytes for Rows<T> {
    /// Timely takes no error.
    fn from_bytes(bytes: Bytes) -> Self {
        Self::read(&bytes).unwrap_or_default()
    }

    fn length_in_bytes(&self) -> usize {
        (HEAD + self.0.iter().map(Wire::length).sum::<usize>()).next_multiple_of(8)
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let failed = "the memory of a message, which has room for its length";
        let count = u32::try_from(self.0.len()).expect("a message of few rows");
        writer.write_all(&count.to_le_bytes()).expect(failed);
        let mut length = HEAD;
        for row in &self.0 {
            row.write(writer).expect(failed);
            length += row.length();
        }
        writer.write_all(&[0; 8][..length.next_multiple_of(8) - length]).expect(failed);
    }
}

#[cfg(test)]
mod tests {
    use timely::bytes::arc::BytesMut;

    use super::*;
    use crate::answer::Part;
    use crate::question::{Asked, Layers, Question};
    use crate::row::{Row, Sent};

    /// A few bytes that promise more rows than there is memory for.
    #[test]
    fn a_message_of_too_many_rows() {
        let bytes = BytesMut::from(u32::MAX.to_le_bytes().to_vec()).freeze();
        assert!(Rows::<Row<f64, 3>>::from_bytes(bytes).0.is_empty());
    }

    /// The bytes of memory that a byte of a message becomes at most, as docs/guarantees.md says.
    #[test]
    fn rows_of_a_message_have_a_factor() {
        fn factor<T: Wire>() -> usize {
            size_of::<T>().div_ceil(T::LEAST)
        }
        assert_eq!([factor::<Row<f64, 3>>(), factor::<Sent<f64, 3>>(), factor::<Part>()], [8, 7, 2]);
        // As the guide says of merged answers.
        assert_eq!(Part::LEAST, 21);
        assert_eq!([factor::<Asked<f32, 2>>(), factor::<Asked<f64, 3>>()], [18, 24]);
        let question = Question::Contacts { layers: Layers::of(0), distance: None };
        let asked = Asked::<f64, 3> { to: 0, from: 0, number: 0, question, second: None };
        assert_eq!(asked.length(), Asked::<f64, 3>::LEAST);
    }
}
