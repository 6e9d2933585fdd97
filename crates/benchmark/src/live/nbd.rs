//! A client of the Network Block Device protocol, as far as reads need it (proto.md of the nbd project: the fixed newstyle handshake,
//! simple replies).

use petrio_random::{generator, uniform_below};
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Instant;

const BLOCK: u32 = 4_096;
const OPTION: u64 = 0x4948_4156_454F_5054;
const GO: u32 = 7;
const ACKNOWLEDGED: u32 = 1;
const INFORMATION: u32 = 3;
const REQUEST: u32 = 0x2560_9513;
const REPLY: u32 = 0x6744_6698;
const DISCONNECT: u16 = 2;

struct Client(UnixStream);

impl Client {
    fn word(&mut self) -> io::Result<u32> {
        let mut bytes = [0; 4];
        self.0.read_exact(&mut bytes)?;
        Ok(u32::from_be_bytes(bytes))
    }

    fn long(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.0.read_exact(&mut bytes)?;
        Ok(u64::from_be_bytes(bytes))
    }

    fn skip(&mut self, bytes: u32) -> io::Result<Vec<u8>> {
        let mut all = vec![0; usize::try_from(bytes).unwrap_or(0)];
        self.0.read_exact(&mut all)?;
        Ok(all)
    }

    /// Agrees on the only device; its bytes.
    fn greets(&mut self) -> io::Result<u64> {
        self.skip(8 + 8 + 2)?;
        self.0.write_all(&3u32.to_be_bytes())?;
        let mut option = OPTION.to_be_bytes().to_vec();
        option.extend(GO.to_be_bytes());
        // No name, and nothing more that one wants to know.
        option.extend(6u32.to_be_bytes());
        option.extend([0; 6]);
        self.0.write_all(&option)?;
        let mut size = 0;
        loop {
            let (_, _, kind, length) = (self.long()?, self.word()?, self.word()?, self.word()?);
            let data = self.skip(length)?;
            match kind {
                ACKNOWLEDGED => return Ok(size),
                // Of the device itself, and not of the sizes of requests that it takes.
                INFORMATION if data.len() >= 10 && data[..2] == [0, 0] => {
                    size = u64::from_be_bytes(data[2..10].try_into().unwrap_or_default());
                }
                INFORMATION => {}
                _ => return Err(io::Error::other("the server has no such device")),
            }
        }
    }

    fn asks(&mut self, what: u16, number: u64, (at, length): (u64, u32)) -> io::Result<()> {
        let mut request = REQUEST.to_be_bytes().to_vec();
        request.extend([0; 2]);
        request.extend(what.to_be_bytes());
        request.extend(number.to_be_bytes());
        request.extend(at.to_be_bytes());
        request.extend(length.to_be_bytes());
        self.0.write_all(&request)
    }
}

/// Reads so many blocks at places that are drawn, one after the other; seconds.
pub(super) fn reads(socket: &Path, count: u64) -> io::Result<f64> {
    let mut client = Client(UnixStream::connect(socket)?);
    let blocks = client.greets()? / u64::from(BLOCK);
    if blocks == 0 {
        return Err(io::Error::other("the server's device is empty"));
    }
    let mut drawn = generator(1, 0, "benchmark/live", "nbd");
    let began = Instant::now();
    for number in 0..count {
        let at = uniform_below(&mut drawn, blocks) * u64::from(BLOCK);
        client.asks(0, number, (at, BLOCK))?;
        let (magic, error, told) = (client.word()?, client.word()?, client.long()?);
        if magic != REPLY || error != 0 || told != number {
            return Err(io::Error::other("the server didn't read what was asked for"));
        }
        client.skip(BLOCK)?;
    }
    let took = began.elapsed().as_secs_f64();
    client.asks(DISCONNECT, count, (0, 0))?;
    Ok(took)
}
