# Two commands do everything: `make run` and `make test`.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup build run run-cluster test bench dist install rules-fuzz format lint clean

DOCSH   := .build/release/docsh
PORT    ?= 8080
PACK    ?= inspired
PACKS   := $(patsubst rules/%.rules,%,$(wildcard rules/*.rules))
SWIFT_SOURCES := Package.swift Sources Tests Benchmarks

help:
	@echo "make run     start the emulator with the Inspired pack (PORT=$(PORT)); PACK=yoga-studio and so on for others"
	@echo "make run-cluster  three servers with one store in PostgreSQL, behind a balancer (PORT, PACK as above)"
	@echo "make test    build, then run every test and the packs' rules suites"
	@echo "make bench   measure, as ratios against peers in the same run"
	@echo "make dist    build what is published: an archive, a Debian package, a container's files"
	@echo "make install PREFIX=/usr/local   install the program, its manual and completions"
	@echo "make rules-fuzz  compare the rules engine with the official emulator, where that is installed"
	@echo "make format  put the sources into the house format"
	@echo "make clean   remove build products"

setup:
	@Scripts/setup

build: setup
	@Scripts/release docsh

run: build
	@[ -f rules/$(PACK).rules ] || { echo "there is no pack '$(PACK)'; there are $(PACKS)" >&2; exit 2; }
	@$(DOCSH) serve --port $(PORT) --rules rules/$(PACK).rules --seed seeds/$(PACK).yaml --indexes rules/$(PACK).indexes.json --triggers $(PACK)

run-cluster: build
	@Scripts/setup postgresql haproxy
	@Scripts/run-cluster $(PORT) $(PACK)

# Tests use one core: programs are built beside them.
PROGRAMS ?= docsh
test: setup
	swift build --build-tests
	@log=$$(mktemp); Scripts/release $(PROGRAMS) >$$log 2>&1 & build=$$!; \
	  Scripts/swift-tests; tests=$$?; \
	  wait $$build || { tests=1; cat $$log; }; \
	  rm -f $$log; exit $$tests
	$(DOCSH) test rules

# BENCH=--brief runs every line once.
bench: setup
	@Scripts/release docsh docstore-bench
	@.build/release/docstore-bench $(BENCH)

dist: setup
	@Scripts/dist

# DESTDIR is put before PREFIX by whoever packs it.
PREFIX ?= /usr/local
install:
	@[ -d dist/staged ] || $(MAKE) -s dist
	@install -d $(DESTDIR)$(PREFIX)
	@cp -r dist/staged/*/. $(DESTDIR)$(PREFIX)/
	@echo "installed $(DESTDIR)$(PREFIX)/bin/docsh"

# COUNT conditions and their share of queries, commits and texts; docs/fuzzing.md.
COUNT ?= 4000
SEED  ?= 1
rules-fuzz: setup
	@Scripts/release rules-fuzzer
	@RULES_FUZZER=.build/release/rules-fuzzer QUERIES=$(QUERIES) COMMITS=$(COMMITS) Scripts/rules-fuzz $(COUNT) $(SEED)

format:
	swift format -i -r $(SWIFT_SOURCES)

lint:
	swift format lint --strict -r $(SWIFT_SOURCES)

clean:
	swift package clean
	rm -rf .build .build-* dist
