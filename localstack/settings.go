package main

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"

	"github.com/cashwrap/cashwrap/localstack/aws/wal"
)

// settings of a run, from the environment.
type settings struct {
	port    int         // of the API, on 127.0.0.1
	engine  string      // of the table: inMemory or dynamoDBLocal
	runtime string      // of the functions: inProcess or bootstraps
	disk    wal.Options // of the engines in memory; faults in tests
}

const (
	defaultPort   = 8080
	inMemory      = "memory"
	dynamoDBLocal = "dynamodb-local"
	inProcess     = "in-process"
	bootstraps    = "bootstrap" // each function as it is deployed, in processes of its own
)

func settingsFrom(lookup func(string) string) (settings, error) {
	s := settings{port: defaultPort, engine: inMemory, runtime: inProcess}
	if text := lookup("PORT"); text != "" {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil || port == 0 {
			return s, fmt.Errorf("PORT=%s is not a port: give a number from 1 to 65535", text)
		}
		s.port = int(port)
	}
	switch engine := lookup("ENGINE"); engine {
	case "":
	case inMemory, dynamoDBLocal:
		s.engine = engine
	default:
		return s, fmt.Errorf("ENGINE=%s is not known: give %s or %s", engine, inMemory, dynamoDBLocal)
	}
	switch runtime := lookup("RUNTIME"); runtime {
	case "":
	case inProcess, bootstraps:
		s.runtime = runtime
	default:
		return s, fmt.Errorf("RUNTIME=%s is not known: give %s or %s", runtime, inProcess, bootstraps)
	}
	return s, nil
}

func (s settings) addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// portTaken says it in a developer's words; other errors pass.
func (s settings) portTaken(err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("port %d is taken: end what listens there, or choose another with `PORT=%d make run`", s.port, s.port%65535+1)
	}
	return err
}

// checkPort fails before the engines start, which takes seconds.
func (s settings) checkPort() error {
	listener, err := net.Listen("tcp", s.addr())
	if err != nil {
		return s.portTaken(err)
	}
	return listener.Close()
}
