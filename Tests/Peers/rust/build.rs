//! Makes Rust of the engine's .proto, which FACE_ENGINE_PROTO is the folder of.

use std::{env, fs, path::Path};

fn main() {
    let proto = env::var("FACE_ENGINE_PROTO").expect("FACE_ENGINE_PROTO is the folder of face_engine.proto");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let file = Path::new(&proto).join("face_engine.proto");
    protobuf_codegen_pure::Codegen::new()
        .out_dir(&out)
        .input(&file)
        .include(&proto)
        .run()
        .expect("face_engine.proto is understood");
    // A module by itself, without the attributes that only the head of a file may have.
    let generated = Path::new(&out).join("face_engine.rs");
    let text = fs::read_to_string(&generated).expect("the generator wrote face_engine.rs");
    let body: Vec<&str> = text.lines().filter(|line| !line.starts_with("#![") && !line.starts_with("//!")).collect();
    fs::write(&generated, body.join("\n")).expect("face_engine.rs can be written");
    println!("cargo:rerun-if-changed={}", file.display());
    println!("cargo:rerun-if-env-changed=FACE_ENGINE_PROTO");
}
