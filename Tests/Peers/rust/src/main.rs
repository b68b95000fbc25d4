//! A client of the engine that has nothing of ours but the .proto: Rust's ttrpc does the wire.
//!
//!     client SOCKET PHOTO
//!
//! Makes each kind of plain call, prints a line for each thing that held and for each face, and stops with status 1 at the first
//! that did not hold.

use std::error::Error;
use std::os::unix::io::IntoRawFd;
use std::os::unix::net::UnixStream;
use std::process::exit;
use std::{env, fs, thread};

use protobuf::Message;
use ttrpc::{Client, Code, Request};

mod face_engine {
    #![allow(warnings)]
    include!(concat!(env!("OUT_DIR"), "/face_engine.rs"));
}

use face_engine as fe;

const SECOND: i64 = 1_000_000_000;
const CALLERS: usize = 4;

fn main() {
    let arguments: Vec<String> = env::args().collect();
    if arguments.len() != 3 {
        eprintln!("usage: client SOCKET PHOTO");
        exit(2);
    }
    if let Err(error) = run(&arguments[1], &arguments[2]) {
        eprintln!("client: {}", error);
        exit(1);
    }
}

fn run(socket: &str, photo: &str) -> Result<(), Box<dyn Error>> {
    let photo = fs::read(photo)?;
    let client = connect(socket)?;

    let mut question = fe::HealthCheckRequest::new();
    question.set_service("faceengine.v1.Detector".to_string());
    let health: fe::HealthCheckResponse = call(&client, "Health", "Check", &question, SECOND)?;
    require(health.get_status() == fe::HealthCheckResponse_ServingStatus::SERVING, "the detector serves")?;

    let info: fe::InfoResponse = call(&client, "Admin", "Info", &fe::InfoRequest::new(), SECOND)?;
    require(info.get_protocol_version() == 1 && !info.get_models().is_empty(), "the engine says what it is")?;

    let alone = detect(&client, photo.clone(), 60 * SECOND)?;
    require(!alone.get_faces().is_empty(), "the photo has a face")?;
    for face in alone.get_faces() {
        let frame = face.get_field_box();
        println!("face: {:.0} {:.0} {:.0} {:.0} {:.2}", frame.get_x(), frame.get_y(), frame.get_width(), frame.get_height(),
                 face.get_confidence());
    }

    // One connection, many threads: the client is their common one.
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let (client, photo) = (client.clone(), photo.clone());
            thread::spawn(move || detect(&client, photo, 60 * SECOND).map_err(|error| error.to_string()))
        })
        .collect();
    for caller in callers {
        let faces = caller.join().map_err(|_| "a caller panicked")??;
        require_quietly(faces.get_faces() == alone.get_faces(), "callers together get what one alone does")?;
    }
    println!("ok: {} callers share a connection", CALLERS);

    require_refusal(detect(&client, b"no picture".to_vec(), SECOND), Code::INVALID_ARGUMENT, "a damaged picture is refused")?;
    let missing: ttrpc::Result<fe::DetectResponse> = call(&client, "Detector", "Guess", &fe::DetectRequest::new(), SECOND);
    require_refusal(missing, Code::UNIMPLEMENTED, "a method that is not there is refused")?;
    let again = detect(&client, photo, 60 * SECOND)?;
    require(again.get_faces() == alone.get_faces(), "the connection serves on after refusals")
}

/// `Client::connect` takes the names of abstract sockets alone; `Client::new` takes a connected one, which is then its own.
fn connect(socket: &str) -> Result<Client, Box<dyn Error>> {
    Ok(Client::new(UnixStream::connect(socket)?.into_raw_fd()))
}

/// - timeout: nanoseconds. This crate also waits no longer than that itself.
fn call<Answer: Message>(
    client: &Client, service: &str, method: &str, question: &dyn Message, timeout: i64,
) -> ttrpc::Result<Answer> {
    let mut request = Request::new();
    request.set_service(format!("faceengine.v1.{}", service));
    request.set_method(method.to_string());
    request.set_timeout_nano(timeout);
    request.set_payload(question.write_to_bytes().map_err(|error| ttrpc::Error::Others(error.to_string()))?);
    let response = client.request(request)?;
    Answer::parse_from_bytes(response.get_payload()).map_err(|error| ttrpc::Error::Others(error.to_string()))
}

fn detect(client: &Client, photo: Vec<u8>, timeout: i64) -> ttrpc::Result<fe::DetectResponse> {
    let mut request = fe::DetectRequest::new();
    request.mut_image().set_encoded(photo);
    call(client, "Detector", "Detect", &request, timeout)
}

fn require(holds: bool, what: &str) -> Result<(), Box<dyn Error>> {
    require_quietly(holds, what)?;
    println!("ok: {}", what);
    Ok(())
}

fn require_quietly(holds: bool, what: &str) -> Result<(), Box<dyn Error>> {
    if holds { Ok(()) } else { Err(format!("this does not hold: {}", what).into()) }
}

fn require_refusal<Answer>(outcome: ttrpc::Result<Answer>, code: Code, what: &str) -> Result<(), Box<dyn Error>> {
    match outcome {
        Err(ttrpc::Error::RpcStatus(status)) => {
            require(status.get_code() == code && !status.get_message().is_empty(), what)
        }
        Err(error) => Err(format!("{}: it failed otherwise: {}", what, error).into()),
        Ok(_) => Err(format!("{}: it was answered", what).into()),
    }
}
