//! Writing tables as Parquet.

use std::fs::{File, rename};
use std::path::Path;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::Result;
use datafusion::parquet::arrow::ArrowWriter;
use indicatif::{ProgressBar, ProgressStyle};

/// Writes batches, and shows how far it is. The file has its name only when it is complete.
pub(crate) fn write(
    file: &Path,
    schema: SchemaRef,
    rows: usize,
    batches: impl Iterator<Item = Result<RecordBatch>>,
) -> Result<()> {
    let style = ProgressStyle::with_template("writing {bar:40} {human_pos} of {human_len} rows, {eta}");
    let bar = ProgressBar::new(rows as u64).with_style(style.expect("the template is right"));
    let unfinished = file.with_extension("unfinished");
    let mut writer = ArrowWriter::try_new(File::create(&unfinished)?, schema, None)?;
    for batch in batches {
        let batch = batch?;
        writer.write(&batch)?;
        bar.inc(batch.num_rows() as u64);
    }
    writer.close()?;
    bar.finish_and_clear();
    rename(unfinished, file)?;
    Ok(())
}
