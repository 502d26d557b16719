// Scenarios of pgx: a process lists them, or runs those that standard input names.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Ends a scenario that waits for an answer for ever, so that the next one runs.
const limit = 20 * time.Second

type server struct {
	Host string `json:"host"`
	Port int    `json:"port"`
}

func (s server) url(options string) string {
	return fmt.Sprintf("postgres://postgres@%s:%d/postgres?sslmode=disable%s", s.Host, s.Port, options)
}

type scenario struct {
	Name   string   `json:"name"`
	Tables []string `json:"tables"`
	Later  *string  `json:"later"`
	run    func(ctx context.Context, s server) error
}

// with makes a scenario of a connection, which is closed afterwards.
func with(name string, tables []string, use func(ctx context.Context, c *pgx.Conn) error) scenario {
	return scenario{Name: name, Tables: tables, run: func(ctx context.Context, s server) error {
		c, err := pgx.Connect(ctx, s.url(""))
		if err != nil {
			return err
		}
		defer c.Close(ctx)
		return use(ctx, c)
	}}
}

func expect(actual, expected any) error {
	if reflect.DeepEqual(actual, expected) {
		return nil
	}
	return fmt.Errorf("expected %#v, got %#v", expected, actual)
}

// expectError returns the error of the server, which must have the SQLSTATE.
func expectError(err error, code string) (*pgconn.PgError, error) {
	var failure *pgconn.PgError
	if !errors.As(err, &failure) {
		return nil, fmt.Errorf("expected the error %s, got %v", code, err)
	}
	if failure.Code != code {
		return nil, fmt.Errorf("expected the error %s, got %w", code, err)
	}
	return failure, nil
}

// first returns the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

type outcome struct {
	Message string `json:"message,omitempty"`
	Code    string `json:"code,omitempty"`
}

func outcomeOf(err error) outcome {
	if err == nil {
		return outcome{}
	}
	var failure *pgconn.PgError
	if errors.As(err, &failure) {
		return outcome{err.Error(), failure.Code}
	}
	return outcome{Message: err.Error()}
}

func main() {
	all := scenarios()
	if os.Args[1] == "list" {
		json.NewEncoder(os.Stdout).Encode(all)
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var request struct {
			Name string `json:"name"`
			server
		}
		if err := json.Unmarshal(lines.Bytes(), &request); err != nil {
			panic(err)
		}
		for _, one := range all {
			if one.Name == request.Name {
				ctx, cancel := context.WithTimeout(context.Background(), limit)
				json.NewEncoder(os.Stdout).Encode(outcomeOf(one.run(ctx, request.server)))
				cancel()
			}
		}
	}
}
