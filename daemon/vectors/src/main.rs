//! The command line of `claudevil-vectors`. The daemon starts it; people have no use for it.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Parser, Subcommand};
use claudevil_vectors::{shared, store, transformer};

/// LanceDB's allocations fragment the system's allocator, which then keeps their memory.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Stores vectors and runs transformers for claudevild, which starts it.
#[derive(Parser)]
#[command(name = "claudevil-vectors", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Store vectors beneath a directory, over a pipe.
    Store { data: PathBuf },
    /// Read and add the vectors that a team shares, over a pipe.
    Share,
    /// Run a transformer, over a pipe.
    Embed,
    /// Print the named models as JSON, and which are downloaded.
    Models { downloads: PathBuf },
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Store { data } => store::serve(&data).context("the vector store failed"),
        Command::Share => shared::serve().context("the pipe to the daemon is broken"),
        Command::Embed => transformer::serve().context("the pipe to the daemon is broken"),
        Command::Models { downloads } => {
            let entries: Vec<_> = transformer::named::all()
                .iter()
                .map(|named| named.entry(&downloads))
                .collect();
            let text = serde_json::to_string(&entries)?;
            writeln!(std::io::stdout(), "{text}")?;
            Ok(())
        }
    }
}
