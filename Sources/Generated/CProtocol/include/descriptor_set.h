/* face_engine.proto as protoc compiled it: what Admin/Describe answers. */
#ifndef FACE_ENGINE_DESCRIPTOR_SET_H
#define FACE_ENGINE_DESCRIPTOR_SET_H

#include <protobuf-c/protobuf-c.h>

/* The bytes of a google.protobuf.FileDescriptorSet; static, not to be changed. */
ProtobufCBinaryData face_engine_descriptor_set(void);

#endif
