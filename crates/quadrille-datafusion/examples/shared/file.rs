//! Writing tables as Parquet.

use std::fs::{File, rename};
use std::path::Path;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::Result;
use datafusion::parquet::arrow::ArrowWriter;

/// Writes batches, and says so. The file has its name only when it is complete.
pub(crate) fn write(
    file: &Path,
    schema: SchemaRef,
    rows: usize,
    batches: impl Iterator<Item = Result<RecordBatch>>,
) -> Result<()> {
    println!("writing {rows} rows to {}", file.display());
    let unfinished = file.with_extension("unfinished");
    let mut writer = ArrowWriter::try_new(File::create(&unfinished)?, schema, None)?;
    for batch in batches {
        writer.write(&batch?)?;
    }
    writer.close()?;
    rename(unfinished, file)?;
    Ok(())
}
