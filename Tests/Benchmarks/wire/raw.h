/* A client in a few lines: what PROTOCOL.md says, without a protobuf library. Ends the program when a call fails. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "clock.h"

typedef struct bytes {
  uint8_t *data;
  size_t size;
} bytes;

static inline void fail(const char *what)
{
  fprintf(stderr, "wire: %s failed\n", what);
  exit(1);
}

static inline void put(bytes *out, const void *data, size_t size)
{
  memcpy(out->data + out->size, data, size);
  out->size += size;
}

static inline void put_varint(bytes *out, uint64_t value)
{
  for (; value > 127; value >>= 7) out->data[out->size++] = (uint8_t)(value | 128);
  out->data[out->size++] = (uint8_t)value;
}

static inline void put_number(bytes *out, unsigned field, uint64_t value)
{
  put_varint(out, field << 3);
  put_varint(out, value);
}

static inline void put_bytes(bytes *out, unsigned field, const void *data, size_t size)
{
  put_varint(out, field << 3 | 2);
  put_varint(out, size);
  put(out, data, size);
}

static inline int connect_to(const char *path)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
  return fd;
}

/* A frame, with a descriptor when `descriptor` is not -1. */
static inline void send_frame_flags(int fd, uint32_t stream, uint8_t type, uint8_t flags, bytes body, int descriptor)
{
  uint8_t header[10];
  uint32_t words[2] = {htonl((uint32_t)body.size), htonl(stream)};
  memcpy(header, words, 8);
  header[8] = type;
  header[9] = flags;
  struct iovec parts[2] = {{header, sizeof header}, {body.data, body.size}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control = {0};
  if (descriptor >= 0) {
    control.header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.header), &descriptor, sizeof(int));
    message.msg_control = &control;
    message.msg_controllen = sizeof control.room;
  }
  size_t left = sizeof header + body.size;
  while (left > 0) {
    ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    if (sent < 0) fail("sendmsg");
    left -= (size_t)sent;
    message.msg_control = NULL;
    message.msg_controllen = 0;
    for (int part = 0; part < 2; part++) {
      size_t done = (size_t)sent < parts[part].iov_len ? (size_t)sent : parts[part].iov_len;
      parts[part].iov_base = (uint8_t *)parts[part].iov_base + done;
      parts[part].iov_len -= done;
      sent -= (ssize_t)done;
    }
  }
}

static inline void send_frame(int fd, uint32_t stream, uint8_t type, bytes body, int descriptor)
{
  send_frame_flags(fd, stream, type, 0, body, descriptor);
}

/* The type of the next frame, whose data goes to `body`; 0 when the engine closed. */
static inline uint8_t receive_frame(int fd, bytes *body)
{
  uint8_t header[10];
  uint32_t length;
  if (recv(fd, header, sizeof header, MSG_WAITALL) != sizeof header) return 0;
  memcpy(&length, header, 4);
  body->size = ntohl(length);
  if (body->size > 1 << 20) fail("an answer of bearable size");
  if (body->size > 0 && recv(fd, body->data, body->size, MSG_WAITALL) != (ssize_t)body->size) return 0;
  return header[8];
}

/* The whole REQUEST body for a payload; the caller frees it. */
static inline bytes envelope(const char *service, const char *method, bytes payload)
{
  bytes out = {malloc(payload.size + 256), 0};
  put_bytes(&out, 1, service, strlen(service));
  put_bytes(&out, 2, method, strlen(method));
  put_bytes(&out, 3, payload.data, payload.size);
  return out;
}

/* Whether the engine answered OK; `answer` has room for 1 MiB and gets the ttrpc.Response. */
static inline int call(int fd, uint32_t stream, bytes request, bytes *answer)
{
  send_frame(fd, stream, 1, request, -1);
  return receive_frame(fd, answer) == 2 && (answer->size == 0 || answer->data[0] != 0x0a);
}
