//! Parquet: columns `round`, `state_0` …, `action_0` …

use std::sync::Arc;

use parquet::data_type::{FloatType, Int32Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use tutelage::Batch;

use super::Annotations;

pub(super) fn encode(
    annotations: &Annotations,
) -> std::result::Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>> {
    let Annotations { rounds, states, actions } = annotations;
    let schema = Arc::new(parse_message_type(&message(states.width(), actions.width()))?);
    let properties = Arc::new(WriterProperties::builder().build());
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema, properties)?;
    let mut group = file.next_row_group()?;
    write_rounds(&mut group, rounds)?;
    write_columns(&mut group, states)?;
    write_columns(&mut group, actions)?;
    group.close()?;
    file.close()?;
    Ok(bytes)
}

fn message(states: usize, actions: usize) -> String {
    let columns = |name: &str, count: usize| -> String {
        (0..count).map(|i| format!("required float {name}_{i}; ")).collect()
    };
    let (states, actions) = (columns("state", states), columns("action", actions));
    format!("message annotations {{ required int32 round; {states}{actions}}}")
}

type Group<'a, 'b> = SerializedRowGroupWriter<'a, &'b mut Vec<u8>>;

fn write_rounds(group: &mut Group<'_, '_>, rounds: &[u32]) -> Result<()> {
    let rounds: Vec<i32> = rounds.iter().map(|&round| round as i32).collect();
    let mut column = group.next_column()?.ok_or_else(no_column)?;
    column.typed::<Int32Type>().write_batch(&rounds, None, None)?;
    column.close()
}

fn write_columns(group: &mut Group<'_, '_>, rows: &Batch<f32>) -> Result<()> {
    for index in 0..rows.width() {
        let values: Vec<f32> = rows.rows().map(|row| row[index]).collect();
        let mut column = group.next_column()?.ok_or_else(no_column)?;
        column.typed::<FloatType>().write_batch(&values, None, None)?;
        column.close()?;
    }
    Ok(())
}

fn no_column() -> ParquetError {
    ParquetError::General("the schema has too few columns".into())
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    use super::*;
    use crate::export::tests::annotations;

    #[test]
    fn rows_come_back() {
        let bytes = encode(&annotations()).unwrap();
        let file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut &file, &bytes).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let rows: Vec<(i32, f32, f32, f32)> = reader
            .get_row_iter(None)
            .unwrap()
            .map(|row| row.unwrap())
            .map(|row| {
                let float = |i| row.get_float(i).unwrap();
                (row.get_int(0).unwrap(), float(1), float(2), float(3))
            })
            .collect();
        assert_eq!(rows, [(1, 1.0, 2.0, 0.5), (1, 3.0, 4.0, -0.5), (2, 5.0, 6.0, 1.5)]);
    }
}
