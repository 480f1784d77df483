#!/bin/sh
# Says hello.
hello() {
	echo "hello $NAME"
}

NAME=world
hello
