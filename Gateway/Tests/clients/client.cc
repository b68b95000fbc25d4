// client ADDRESS PHOTO: calls the gateway with gRPC C++, and prints what it was told as JSON.
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>

#include "face_engine.grpc.pb.h"
#include "health.grpc.pb.h"

namespace v1 = faceengine::v1;

namespace {

void set_deadline(grpc::ClientContext &context, std::chrono::microseconds time) {
  context.set_deadline(std::chrono::system_clock::now() + time);
}

grpc::Status detect(v1::Detector::Stub &detector, const std::string &photo, v1::DetectResponse &found,
                    std::chrono::microseconds time = std::chrono::minutes(1)) {
  grpc::ClientContext context;
  set_deadline(context, time);
  v1::DetectRequest request;
  if (!photo.empty()) request.mutable_image()->set_encoded(photo);
  return detector.Detect(&context, request, &found);
}

int watch(v1::Detector::Stub &detector, const std::string &photo, std::ostream &ids) {
  grpc::ClientContext context;
  set_deadline(context, std::chrono::minutes(1));
  auto stream = detector.Watch(&context);
  v1::WatchRequest request;
  request.mutable_start()->set_mode(v1::WatchStart::EVERY);
  stream->Write(request);
  for (unsigned id = 1; id <= 8; id++) {
    auto *frame = request.mutable_frame();
    frame->set_id(id);
    frame->set_timestamp_ns(id * 100'000'000ULL);
    frame->mutable_image()->set_encoded(photo);
    stream->Write(request);
  }
  stream->WritesDone();
  v1::WatchResponse answer;
  for (const char *between = ""; stream->Read(&answer); between = ", ") ids << between << answer.id();
  return stream->Finish().error_code();
}

int count_healthy(const std::shared_ptr<grpc::Channel> &channel) {
  auto health = grpc::health::v1::Health::NewStub(channel);
  int count = 0;
  for (int i = 0; i < 1000; i++) {
    grpc::ClientContext context;
    grpc::health::v1::HealthCheckResponse answer;
    if (!health->Check(&context, {}, &answer).ok()) break;
    if (answer.status() == grpc::health::v1::HealthCheckResponse::SERVING) count++;
  }
  return count;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  std::ifstream file(argv[2], std::ios::binary);
  const std::string photo((std::istreambuf_iterator<char>(file)), {});
  auto channel = grpc::CreateChannel(argv[1], grpc::InsecureChannelCredentials());
  auto detector = v1::Detector::NewStub(channel);

  v1::DetectResponse found, unused;
  const auto status = detect(*detector, photo, found);
  if (!status.ok()) {
    std::cerr << status.error_message() << "\n";
    return 1;
  }
  const auto invalid = detect(*detector, "", unused);
  const auto late = detect(*detector, photo, unused, std::chrono::microseconds(1));
  const auto large = detect(*detector, std::string(64 << 20, '\0'), unused);
  std::ostringstream ids;
  const int ended = watch(*detector, photo, ids);
  std::cout << "{\"faces\": " << found.faces_size() << ", \"invalid\": " << invalid.error_code()
            << ", \"details\": " << !invalid.error_details().empty() << ", \"late\": " << late.error_code()
            << ", \"large\": " << large.error_code() << ", \"ids\": [" << ids.str() << "], \"ended\": " << ended
            << ", \"healthy\": " << count_healthy(channel) << "}\n";
  return 0;
}
