//! Reads captured requests as a stream of records.

use super::error::RequestError;
use super::format::{Layout, RequestFormat, RequestOperation};
use super::record::RequestRecord;
use crate::begin::read_error;
use crate::compression::{Compression, Unpacked, decompressed};
use crate::error::Fault;
use crate::input::{Input, is_data};
use crate::{Position, Problem, TraceError};
use std::io::Read;
use std::sync::Arc;

/// Captured requests as an iterator, in the order of the file; memory doesn't grow with its length.
///
/// After an error the iterator ends.
pub struct RequestReader {
    name: Arc<str>,
    compression: Compression,
    input: Input,
    format: RequestFormat,
    layout: Layout,
    default: Option<RequestOperation>,
    done: bool,
}

impl RequestReader {
    /// Reads from anything. `name` stands in messages; `operation` is what the requests are where the format doesn't
    /// say.
    ///
    /// # Errors
    /// What can't be read, is empty, has a heading that can't be understood, or says (or doesn't say) what is read and
    /// what written although `operation` does (or doesn't).
    pub fn new(
        name: impl Into<Arc<str>>,
        source: Box<dyn Read + Send>,
        format: Option<RequestFormat>,
        operation: Option<RequestOperation>,
    ) -> Result<Self, RequestError> {
        let name = name.into();
        let Unpacked { compression, stream, packed } =
            decompressed(source).map_err(|source| TraceError::open(name.clone(), source))?;
        let mut input = Input::new(stream, packed);
        const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];
        let failed = |source| read_error(&name, compression, Position::Byte(0), source);
        if input.sample().map_err(failed)?.0.starts_with(BYTE_ORDER_MARK) {
            input.skip(BYTE_ORDER_MARK.len());
        }
        let (sample, _) = input.sample().map_err(failed)?;
        let Some(first) = sample.split(|&byte| byte == b'\n').find(|line| is_data(line)) else {
            return Err(if sample.is_empty() {
                TraceError::Empty { name }.into()
            } else {
                RequestError::NoRequests { name }
            });
        };
        let first = first.to_vec();
        let format = format.unwrap_or_else(|| RequestFormat::of_first_line(&first));
        let mut reader = Self {
            name,
            compression,
            input,
            format,
            layout: Layout::Telemetry,
            default: operation,
            done: false,
        };
        let layout = Layout::new(format, &first);
        if format == RequestFormat::Columns {
            // The heading is the current line, for the message.
            reader.data_line()?;
        }
        reader.layout = layout.map_err(|problem| reader.problem(problem))?;
        match (reader.layout.says_operation(), operation) {
            (true, Some(_)) => Err(RequestError::Operation("each request of the file says what it is")),
            (false, None) => Err(RequestError::Operation(
                "the file doesn't say what is read and what is written; \"read\" or \"write\" is needed",
            )),
            _ => Ok(reader),
        }
    }

    /// The format it is read as.
    pub const fn format(&self) -> RequestFormat {
        self.format
    }

    /// The number of the line read last.
    pub const fn line(&self) -> u64 {
        self.input.lines()
    }

    /// What it is called in messages.
    pub const fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn problem(&self, problem: Problem) -> RequestError {
        RequestError::Line { name: self.name.clone(), line: self.input.lines(), problem }
    }

    fn fault(&self, fault: Fault) -> RequestError {
        match fault {
            Fault::Problem(problem) => self.problem(problem),
            Fault::Trace(error) => (*error).into(),
            Fault::Io(source) => {
                read_error(&self.name, self.compression, Position::Line(self.input.lines()), source).into()
            }
        }
    }

    fn data_line(&mut self) -> Result<bool, RequestError> {
        let found = self.input.data_line().map(|line| line.is_some());
        found.map_err(|fault| self.fault(fault))
    }

    fn read(&mut self) -> Result<Option<RequestRecord>, RequestError> {
        loop {
            let record = match self.input.data_line() {
                Ok(Some(line)) => self.layout.request(line, self.default).map_err(Fault::Problem),
                Ok(None) => return Ok(None),
                Err(fault) => Err(fault),
            };
            match record {
                Ok(None) => {}
                Ok(record) => return Ok(record),
                Err(fault) => return Err(self.fault(fault)),
            }
        }
    }
}

impl Iterator for RequestReader {
    type Item = Result<RequestRecord, RequestError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let item = self.read().transpose();
        self.done = !matches!(item, Some(Ok(_)));
        item
    }
}

impl std::iter::FusedIterator for RequestReader {}
