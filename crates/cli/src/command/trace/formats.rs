//! `petrio trace formats`

use crate::failure::Failure;
use crate::output::print;
use clap::Args;
use petrio_trace::FormatName;

/// List the formats of traces that are read, each with a line of it
#[derive(Args)]
#[command(
    after_help = "Other tables are read, too: --columns and --units of petrio trace say which column means what, by name or \
                        number.\n\nExamples:\n  petrio trace info table.csv --columns time=1,op=4,lba=2,size=3,read=0,write=1 \
                        --units time=s,offset=sectors,length=bytes"
)]
pub(crate) struct Formats {}

impl Formats {
    #[expect(clippy::unused_self, reason = "it has no options")]
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let of = |format: FormatName| {
            let head = format!("{:<17} {}\n", format.name(), format.about());
            head + &format.example().map(|line| format!("{:17}   {line}\n", "")).unwrap_or_default()
        };
        print(&FormatName::ALL.map(of).concat())
    }
}
