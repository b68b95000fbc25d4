/* The system call filter as a program for the kernel: a list of comparisons, generated from the table in
   calls.c. */
#define _GNU_SOURCE
#include "CSandbox.h"
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#ifdef MACHINE

/* The last call in this table: newer ones fail with ENOSYS, so that libraries use another way, as on older
   kernels. mseal(2) of Linux 6.10. */
#define LAST_KNOWN_CALL 462

#define TCGETS_NUMBER 0x5401
#define TCGETS2_NUMBER 0x802c542a
#define TIOCGWINSZ_NUMBER 0x5413
#define VIDEO_KIND ('V' << 8)

#define NAMESPACES \
  (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
/* The flags that need write permission; O_DIRECTORY, a part of O_TMPFILE, does not. */
#define WRITING (O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY))

static const int descriptor_commands[] = {F_GETFL, F_SETFL,         F_GETFD,     F_SETFD,
                                          F_DUPFD, F_DUPFD_CLOEXEC, F_ADD_SEALS, F_GET_SEALS};

enum { ROOM = 1024 };

struct program {
  struct sock_filter code[ROOM];
  unsigned short length;
  int is_too_long;
};

static void add(struct program *program, struct sock_filter instruction)
{
  if (program->length == ROOM) {
    program->is_too_long = 1;
    return;
  }
  program->code[program->length++] = instruction;
}

static void load(struct program *program, size_t offset)
{
  add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void ret(struct program *program, uint32_t action)
{
  add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static uint32_t refusal(int code) { return SECCOMP_RET_ERRNO | ((uint32_t)code & SECCOMP_RET_DATA); }

/* Loads the lower half of an argument; both machines are little-endian. */
static void load_argument(struct program *program, int index)
{
  load(program, offsetof(struct seccomp_data, args) + (size_t)index * sizeof(uint64_t));
}

/* Allows the call if the bits of the argument in `mask` are those in `value`; else continues. */
static void allow_if(struct program *program, int index, uint32_t mask, uint32_t value)
{
  load_argument(program, index);
  if (mask != UINT32_MAX) add(program, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
  ret(program, SECCOMP_RET_ALLOW);
}

/* Refuses the call if the argument has any of these bits; else continues. */
static void refuse_if(struct program *program, int index, uint32_t bits, int code)
{
  load_argument(program, index);
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
  ret(program, refusal(code));
}

/* Allows the call if the argument is a null pointer; else continues. */
static void allow_if_null(struct program *program, int index)
{
  load(program, offsetof(struct seccomp_data, args) + (size_t)index * sizeof(uint64_t) + sizeof(uint32_t));
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3));
  allow_if(program, index, UINT32_MAX, 0);
}

static void add_condition(struct program *program, enum face_call_condition condition)
{
  switch (condition) {
  case ANY: ret(program, SECCOMP_RET_ALLOW); break;
  case DATA_MAPPING:
  case PROTECTION: allow_if(program, 2, PROT_EXEC, 0); break;
  case LIBRARY_MAPPING:
    refuse_if(program, 2, PROT_WRITE, EPERM);
    refuse_if(program, 3, MAP_ANONYMOUS, EPERM);
    ret(program, SECCOMP_RET_ALLOW);
    break;
  case THREAD: allow_if(program, 0, CLONE_THREAD | NAMESPACES, CLONE_THREAD); break;
  case THREAD_NAME: allow_if(program, 0, UINT32_MAX, PR_SET_NAME); break;
  case OWN_PROCESS: allow_if(program, 0, UINT32_MAX, (uint32_t)getpid()); break;
  case NO_ADDRESS: allow_if_null(program, 4); break;
  case OWN_LIMIT:
    load_argument(program, 0);
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 2, 0));
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 1, 0));
    ret(program, refusal(EPERM));
    allow_if_null(program, 2);
    break;
  case DESCRIPTOR_FLAGS:
    for (size_t i = 0; i < sizeof descriptor_commands / sizeof *descriptor_commands; i++)
      allow_if(program, 1, UINT32_MAX, (uint32_t)descriptor_commands[i]);
    break;
  case READING: allow_if(program, 2, WRITING, 0); break;
  case READING_BY_PATH: allow_if(program, 1, WRITING, 0); break;
  case UNIX_DATAGRAM:
  case UNIX_STREAM:
    load_argument(program, 0);
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 1, 0));
    ret(program, refusal(EAFNOSUPPORT));
    allow_if(program, 1, 0xf, condition == UNIX_STREAM ? SOCK_STREAM : SOCK_DGRAM);
    break;
  case TERMINAL_QUESTION:
    allow_if(program, 1, UINT32_MAX, TCGETS_NUMBER);
    allow_if(program, 1, UINT32_MAX, TCGETS2_NUMBER);
    allow_if(program, 1, UINT32_MAX, TIOCGWINSZ_NUMBER);
    break;
  case VIDEO: allow_if(program, 1, 0xff00, VIDEO_KIND); break;
  }
}

/* Adds one row: what it does not allow continues with the next row, which may be for the same call. */
static void add_call(struct program *program, const struct face_call *call)
{
  load(program, offsetof(struct seccomp_data, nr));
  const unsigned short comparison = program->length;
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call->number, 0, 0));
  add_condition(program, call->condition);
  if (!program->is_too_long) program->code[comparison].jf = (uint8_t)(program->length - comparison - 1);
}

/* Applies the rows that need nothing or one of `needs`. */
static int filter(const struct face_call *calls, size_t count, unsigned needs)
{
  static struct program program;
  program.length = 0;
  program.is_too_long = 0;
  load(&program, offsetof(struct seccomp_data, arch));
  add(&program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0));
  ret(&program, refusal(ENOSYS));
  for (size_t i = 0; i < count; i++)
    if (calls[i].needs == 0 || calls[i].needs & needs) add_call(&program, &calls[i]);
  load(&program, offsetof(struct seccomp_data, nr));
  /* Includes the numbers of x86-64's other interface, x32. */
  add(&program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, LAST_KNOWN_CALL, 1, 0));
  /* clone3 has its flags in memory, where they cannot be checked: glibc then creates threads by clone. */
  add(&program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1));
  ret(&program, refusal(ENOSYS));
  ret(&program, refusal(EPERM));
  if (program.is_too_long) {
    errno = E2BIG;
    return -1;
  }
  struct sock_fprog filter = {program.length, program.code};
  const long outcome = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
  if (outcome > 0) errno = EBUSY; /* the id of a thread with a filter of its own */
  return outcome == 0 ? 0 : -1;
}

#else

static int filter(const struct face_call *calls, size_t count, unsigned needs)
{
  (void)calls, (void)count, (void)needs;
  errno = ENOSYS;
  return -1;
}

#endif

int face_sandbox_filter_calls(unsigned needs) { return filter(face_calls, face_call_count, needs); }

int face_sandbox_filter_decoder_calls(void) { return filter(face_decoder_calls, face_decoder_call_count, 0); }
