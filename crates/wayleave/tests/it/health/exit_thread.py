"""Ends one thread of another process as a debugger would: by a system call, without any destructor.

Usage: exit_thread.py PID NAME. Exits with 77 if this machine does not allow it. The thread must be
waiting in a system call. Works on Linux on x86-64.
"""

import ctypes
import os
import platform
import sys

GETREGS, SETREGS, ATTACH, DETACH, PEEKTEXT = 12, 13, 16, 17, 1
REGISTERS = [
    "r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx", "rsi",
    "rdi", "orig_rax", "rip", "cs", "eflags", "rsp", "ss", "fs_base", "gs_base", "ds", "es", "fs", "gs",
]
EXIT_CALL = 60
ALL_CHILDREN = 0x40000000


class Registers(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in REGISTERS]


def main():
    pid, name = int(sys.argv[1]), sys.argv[2]
    if platform.machine() != "x86_64":
        sys.exit(77)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    libc.ptrace.restype = ctypes.c_long

    def comm(thread):
        with open(f"/proc/{pid}/task/{thread}/comm") as file:
            return file.read().strip()

    # The kernel keeps 15 characters of a name.
    found = [int(thread) for thread in os.listdir(f"/proc/{pid}/task") if comm(thread) == name[:15]]
    if len(found) != 1:
        sys.exit(f"{len(found)} threads are named {name}")
    thread = found[0]
    if libc.ptrace(ATTACH, thread, None, None) != 0:
        print(os.strerror(ctypes.get_errno()), file=sys.stderr)
        sys.exit(77)
    os.waitpid(thread, ALL_CHILDREN)
    registers = Registers()
    libc.ptrace(GETREGS, thread, None, ctypes.byref(registers))
    instruction = libc.ptrace(PEEKTEXT, thread, registers.rip - 2, None) & 0xFFFF
    if instruction != 0x050F:
        libc.ptrace(DETACH, thread, None, None)
        sys.exit("the thread is not waiting in a system call")
    registers.orig_rax = 2**64 - 1
    registers.rax, registers.rdi, registers.rip = EXIT_CALL, 0, registers.rip - 2
    libc.ptrace(SETREGS, thread, None, ctypes.byref(registers))
    libc.ptrace(DETACH, thread, None, None)


main()
