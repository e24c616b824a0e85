//! The files of a log, as the thread that writes sees them.

use crate::disk::{self, File, OpenOptions, planted};
use crate::log::{LogError, Torn};
use crate::queue::{Order, Sink, Status};
use crate::record::{HEADER, Record};
use crate::segment::{START, Segment, Step, named};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// So many bytes are worth a call of the system.
const MUCH: u64 = 1 << 18;

/// All segments and the end of the last one.
pub(crate) struct Segments {
    dir: PathBuf,
    /// The longest that a segment grows before another one follows.
    limit: u64,
    /// In order, never empty; only the last one is written.
    kept: Vec<Segment>,
    first: Option<u64>,
    last: Option<u64>,
    file: BufWriter<File>,
    /// The end of the last one.
    at: u64,
    /// So much of it is synced.
    synced: u64,
    /// The memory of what is before has been let go.
    gone: u64,
    /// Behind what is synced stands the mark that says so, up to here.
    marked: u64,
    /// The next block begins a segment.
    turn: bool,
}

/// The paths of the segments of a directory, in order.
pub(crate) fn listed(dir: &Path) -> Result<Vec<PathBuf>, LogError> {
    let names = disk::names(dir).map_err(LogError::io("list", dir))?;
    let mut paths: Vec<PathBuf> = names.into_iter().map(|name| dir.join(name)).collect();
    paths.retain(|path| named(path).is_some());
    paths.sort_unstable_by_key(|path| named(path));
    Ok(paths)
}

impl Segments {
    /// Opens what is there, at least one segment, and cuts off a torn end.
    pub(crate) fn open(dir: PathBuf, kept: Vec<Segment>, limit: u64) -> Result<(Self, Option<Torn>), LogError> {
        for pair in kept.windows(2) {
            pair[1].stands_behind(&pair[0])?;
        }
        let (file, end) = open_end(kept.last().expect("a log has a segment"))?;
        let first = first_of(&kept)?;
        let mut segments = Segments {
            dir,
            limit,
            kept,
            first,
            last: end.last,
            file,
            at: end.at,
            synced: end.at,
            gone: end.at,
            marked: end.at,
            turn: false,
        };
        if !end.marked {
            segments.mark()?;
        }
        Ok((segments, end.torn))
    }

    /// How far all is kept.
    pub(crate) fn status(&self) -> Status {
        Status { first: self.first, removed: self.kept[0].before, durable: self.last }
    }

    fn end(&self) -> &Segment {
        self.kept.last().expect("a log has a segment")
    }

    fn append(&mut self, tick: u64, bytes: &[u8]) -> Result<(), LogError> {
        if self.at > START && (self.turn || self.at >= self.limit) {
            self.turn()?;
        }
        let record = Record::block(tick, self.last, self.synced, bytes);
        self.write(&record, bytes)?;
        self.last = Some(tick);
        self.first = self.first.or(self.last);
        Ok(())
    }

    fn write(&mut self, record: &Record, bytes: &[u8]) -> Result<(), LogError> {
        let header = record.encode(self.end().seed(self.at));
        let written = self.file.write_all(&header).and_then(|()| self.file.write_all(bytes));
        written.map_err(LogError::io("write", &self.end().path))?;
        self.at += (HEADER + bytes.len()) as u64;
        Ok(())
    }

    /// Syncs what was written, and marks it as synced.
    fn sync(&mut self) -> Result<(), LogError> {
        if self.marked == self.at {
            return Ok(());
        }
        let is_lazy = planted("a log that is not synced");
        let synced = self.file.flush().and_then(|()| if is_lazy { Ok(()) } else { self.file.get_ref().sync_data() });
        synced.map_err(LogError::io("sync", &self.end().path))?;
        self.synced = self.at;
        if self.synced >= self.gone + MUCH {
            disk::let_go(self.file.get_ref(), self.gone, self.synced);
            self.gone = self.synced;
        }
        self.mark()
    }

    /// Writes that all so far is synced. A mark itself needs no sync: it is of use where a process was killed, or behind it
    /// another record is found.
    fn mark(&mut self) -> Result<(), LogError> {
        self.write(&Record::mark(self.last, self.at), &[])?;
        self.file.flush().map_err(LogError::io("write", &self.end().path))?;
        // Not `synced`: a later record would say that of a mark which may be lost.
        self.marked = self.at;
        Ok(())
    }

    /// Begins another segment.
    fn turn(&mut self) -> Result<(), LogError> {
        self.sync()?;
        let segment = self.end().next(&self.dir, self.last)?;
        (self.file, self.at, self.turn) = (open_end(&segment)?.0, START, false);
        (self.synced, self.marked, self.gone) = (START, START, START);
        self.kept.push(segment);
        Ok(())
    }

    /// Removes the segments of which all blocks are older, and lets the next block begin another one.
    fn truncate_before(&mut self, tick: u64) -> Result<(), LogError> {
        self.sync()?;
        while self.kept.len() > 1 && self.kept[1].before.is_some_and(|last| last < tick) {
            self.remove(0)?;
        }
        self.first = first_of(&self.kept)?;
        self.turn = true;
        Ok(())
    }

    /// Removes the blocks newer than `tick`, the newest files first: a crash in between leaves a log that ends earlier.
    fn cut_after(&mut self, tick: Option<u64>) -> Result<(), LogError> {
        self.sync()?;
        if self.last <= tick {
            return Ok(());
        }
        let mut closed = None;
        while self.kept.len() > 1 && self.end().before >= tick && self.end().before.is_some() {
            closed = self.end().before;
            self.remove(self.kept.len() - 1)?;
        }
        let cut = end_of(self.end(), tick, closed)?;
        let cut = OpenOptions::new().write(true).open(&self.end().path).and_then(|file| file.set_len(cut));
        cut.map_err(LogError::io("cut", &self.end().path))?;
        let (file, end) = open_end(self.end())?;
        (self.file, self.at, self.last) = (file, end.at, end.last);
        (self.synced, self.marked, self.gone) = (end.at, end.at, end.at);
        self.first = self.first.filter(|first| Some(*first) <= self.last);
        Ok(())
    }

    fn remove(&mut self, at: usize) -> Result<(), LogError> {
        let path = &self.kept[at].path;
        disk::remove_file(path).map_err(LogError::io("remove", path))?;
        // One after the other, else a loss of power could leave a gap.
        disk::sync_dir(&self.dir).map_err(LogError::io("sync", &self.dir))?;
        self.kept.remove(at);
        Ok(())
    }
}

impl Sink for Segments {
    fn carry_out(&mut self, orders: &mut Vec<Order>) -> Result<Status, LogError> {
        for order in orders {
            match *order {
                Order::Append(tick, ref bytes) => self.append(tick, bytes)?,
                Order::TruncateBefore(tick) => self.truncate_before(tick)?,
                Order::CutAfter(tick) => self.cut_after(tick)?,
            }
        }
        self.sync()?;
        Ok(self.status())
    }
}

/// The tick of the first block. Only the last segment may be without.
fn first_of(kept: &[Segment]) -> Result<Option<u64>, LogError> {
    let mut reader = kept[0].reader()?;
    match reader.step()? {
        Step::Block(tick, _) => Ok(Some(tick)),
        Step::End if kept.len() == 1 => Ok(None),
        Step::Bad(_) | Step::End => Err(reader.damaged()),
    }
}

/// Where the blocks up to `tick` end in a segment; its last one is `closed`, if another segment followed it.
fn end_of(segment: &Segment, tick: Option<u64>, closed: Option<u64>) -> Result<u64, LogError> {
    let mut reader = segment.reader()?;
    let mut end = START;
    loop {
        match reader.step()? {
            Step::Block(at, _) if Some(at) <= tick => end = reader.at,
            Step::Block(..) | Step::End => return Ok(end),
            // A loss of power has torn the mark behind it.
            Step::Bad(_) if reader.last == closed => return Ok(end),
            Step::Bad(_) => return Err(reader.damaged()),
        }
    }
}

/// The end of a segment.
struct End {
    last: Option<u64>,
    at: u64,
    marked: bool,
    torn: Option<Torn>,
}

/// Reads the last segment, cuts off its torn end, syncs it, and opens it for writing behind its last record.
fn open_end(segment: &Segment) -> Result<(BufWriter<File>, End), LogError> {
    let mut reader = segment.reader()?;
    let torn = loop {
        match reader.step()? {
            Step::Block(..) => (),
            Step::Bad(_) if segment.was_synced(reader.at)? => return Err(reader.damaged()),
            Step::Bad(tick) => break Some(reader.torn(tick)),
            Step::End => break None,
        }
    };
    let end = End { last: reader.last, at: reader.at, marked: reader.marked || reader.at == START, torn };
    let open = || {
        let mut file = OpenOptions::new().write(true).open(&segment.path)?;
        file.set_len(end.at)?;
        file.sync_all()?;
        file.seek(SeekFrom::Start(end.at))?;
        Ok(BufWriter::with_capacity(1 << 16, file))
    };
    let file = open().map_err(LogError::io("open", &segment.path))?;
    Ok((file, end))
}
