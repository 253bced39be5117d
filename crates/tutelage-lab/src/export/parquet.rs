//! Parquet: columns `round`, `state_0` …, `action_0` …

use std::sync::Arc;

use parquet::data_type::{DataType, FloatType, Int32Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::{Annotations, Rows};

pub(super) fn encode(
    annotations: &Annotations,
) -> std::result::Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>> {
    let Annotations { rounds, states, actions } = annotations;
    let schema = Arc::new(parse_message_type(&message(states, actions))?);
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

fn message(states: &Rows, actions: &Rows) -> String {
    let columns = |name: &str, rows: &Rows| -> String {
        let kind = if let Rows::Vectors(_) = rows { "float" } else { "int32" };
        (0..rows.width()).map(|i| format!("required {kind} {name}_{i}; ")).collect()
    };
    let (states, actions) = (columns("state", states), columns("action", actions));
    format!("message annotations {{ required int32 round; {states}{actions}}}")
}

type Group<'a, 'b> = SerializedRowGroupWriter<'a, &'b mut Vec<u8>>;

fn write_rounds(group: &mut Group<'_, '_>, rounds: &[u32]) -> Result<()> {
    let rounds: Vec<i32> = rounds.iter().map(|&round| round as i32).collect();
    write_column::<Int32Type>(group, &rounds)
}

fn write_columns(group: &mut Group<'_, '_>, rows: &Rows) -> Result<()> {
    for index in 0..rows.width() {
        match rows {
            Rows::Vectors(rows) => {
                let values: Vec<f32> = rows.rows().map(|row| row[index]).collect();
                write_column::<FloatType>(group, &values)?;
            }
            Rows::Indices(rows) => {
                let values: Vec<i32> = rows.rows().map(|row| row[index] as i32).collect();
                write_column::<Int32Type>(group, &values)?;
            }
        }
    }
    Ok(())
}

fn write_column<T: DataType>(group: &mut Group<'_, '_>, values: &[T::T]) -> Result<()> {
    let mut column = group.next_column()?.ok_or_else(no_column)?;
    column.typed::<T>().write_batch(values, None, None)?;
    column.close()
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
