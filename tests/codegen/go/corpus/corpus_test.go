package db

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"testing"
)

// All cases of the corpus: texts byte for byte, and what a server in memory answers to them.

func TestCorpus(t *testing.T) {
	input, err := os.ReadFile(os.Getenv("SVC_TEST_CORPUS"))
	if err != nil {
		t.Fatal(err)
	}
	var corpus struct {
		Tables []corpusTable
		Cases  []struct {
			Name string
			// read, write, or text: then nothing is asked.
			Kind    string
			Build   []any
			Text    *string
			Result  json.RawMessage
			Problem map[string]any
		}
	}
	decoding := json.NewDecoder(bytes.NewReader(input))
	decoding.UseNumber()
	if err := decoding.Decode(&corpus); err != nil {
		t.Fatal(err)
	}
	in := &interpreter{names: map[string]meaning{}}
	for _, given := range corpus.Tables {
		own := &table{name: given.Name, keys: given.Keys}
		for _, column := range given.Columns {
			own.columns = append(own.columns, tableColumn{column.Name, column.Type, column.Format, column.Nullable, column.Default})
		}
		in.tables = append(in.tables, own)
		in.relations = append(in.relations, given.Relations)
	}
	url := os.Getenv("SVC_TEST_SERVER")
	client, err := Connect(url, WithSchema(SchemaOff))
	if err != nil {
		t.Fatal(err)
	}
	asked, isChanged := 0, false
	for _, c := range corpus.Cases {
		t.Run(c.Name, func(t *testing.T) {
			defer func() {
				if thrown := recover(); thrown != nil {
					t.Errorf("%v", thrown)
				}
			}()
			wanted := outcome{Text: c.Text, Problem: c.Problem}
			if c.Result != nil {
				if err := json.Unmarshal(c.Result, &wanted.Result); err != nil {
					t.Fatal(err)
				}
			}
			at := client
			if c.Kind == "text" {
				at = nil
			} else {
				asked++
				if isChanged {
					if err := reset(url); err != nil {
						t.Fatal(err)
					}
				}
				isChanged = c.Kind == "write"
			}
			if found := in.outcome(c.Build, at); !reflect.DeepEqual(found, wanted) {
				t.Errorf("got\n%v\nwant\n%v", found, wanted)
			}
		})
	}
	fmt.Printf("cases: %d, asked: %d\n", len(corpus.Cases), asked)
}
