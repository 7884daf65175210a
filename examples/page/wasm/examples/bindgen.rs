//! Packs the page's program for browsers, like the program `wasm-bindgen --target web`, whose library it calls.
//! `build` runs it.

use std::error::Error;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [program, folder] = &args[..] else {
        eprintln!("usage: bindgen PROGRAM.wasm FOLDER");
        return ExitCode::from(2);
    };
    match pack(program, folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bindgen: cannot pack {program:?}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn pack(program: &str, folder: &str) -> Result<(), Box<dyn Error>> {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(program).typescript(false).remove_producers_section(true);
    // The page calls `init()`, which loads the file beside the script.
    bindgen.omit_default_module_path(false).web(true)?;
    Ok(bindgen.generate(folder)?)
}
