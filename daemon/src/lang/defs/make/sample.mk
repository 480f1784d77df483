# Settings.
CC ?= gcc
CFLAGS := -O2 \
	-Wall
export VERSION = $(shell git describe)
URL = http://example.com/\#x

.PHONY: all clean
.DEFAULT_GOAL := all

# Builds all.
all: build/app docs ## help text

build/app: $(OBJS) | build
	$(CC) -o $@ $^
	@echo "done: $@"

%.o: %.c
	$(CC) -c $<

define HELP
usage: make
target: x
endef

ifeq ($(OS),Windows_NT)
EXE = .exe
endif

clean::
	rm -rf build

$(BIN)/tool: tool.c
one two: three
include other.mk
