#!/bin/sh
# A small C project is made and compiled: the load of examples/traces/compile-files.parquet.
#
#   scripts/loads/compile-c.sh make DIRECTORY     writes the project
#   petrio trace capture --full --out FILE -- scripts/loads/compile-c.sh compile DIRECTORY
set -eu
directory=$2
case $1 in
make)
	mkdir -p "$directory/source"
	number=1
	while [ "$number" -le 24 ]; do
		{
			printf '#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <math.h>\n'
			item=1
			while [ "$item" -le 12 ]; do
				printf 'double part%d_%d(double x) { char t[32]; snprintf(t, 32, "%%f", x); return sqrt(x) + strlen(t); }\n' \
					"$number" "$item"
				item=$((item + 1))
			done
		} > "$directory/source/part$number.c"
		number=$((number + 1))
	done
	printf 'int main(void) { return 0; }\n' > "$directory/source/main.c"
	;;
compile)
	rm -rf "$directory/made"
	mkdir "$directory/made"
	for source in "$directory"/source/*.c; do
		object=$directory/made/$(basename "$source" .c).o
		cc -O1 -c -o "$object" "$source"
	done
	cc -o "$directory/made/program" "$directory"/made/*.o -lm
	;;
*)
	echo "what is \"$1\"? make or compile was expected" >&2
	exit 2
	;;
esac
