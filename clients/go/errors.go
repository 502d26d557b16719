package svc

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// Classes of errors, for errors.Is with an *Error.
var (
	ErrInvalid    = errors.New("svc: invalid")
	ErrConstraint = errors.New("svc: a key, a foreign key or NOT NULL refused a row")
	ErrReadOnly   = errors.New("svc: a write was sent to a process that only reads")
	ErrSchema     = errors.New("svc: the server has another schema than the client was generated from")
	ErrExecution  = errors.New("svc: execution failed")
	// ErrEnsure is a guard of a program that did not hold: nothing has happened.
	ErrEnsure         = errors.New("svc: a guard did not hold")
	ErrCardinality    = errors.New("svc: a query of exactly one row had none, or several")
	ErrTargetNotFound = errors.New("svc: an update or a delete names a row that is not there")
	ErrLimit          = errors.New("svc: a limit of recursion, memory, result size or time")
	// ErrConflict is a race that was lost as often as was tried.
	ErrConflict = errors.New("svc: a race was lost")
	ErrNotFound = errors.New("svc: not found")
	ErrAuth     = errors.New("svc: the token is missing, invalid, or does not permit this")
	ErrInternal = errors.New("svc: internal")
	// ErrOutcomeUnknown is a write that may or may not have happened: look at the data before repeating.
	ErrOutcomeUnknown = errors.New("svc: a write may or may not have happened")
	ErrOverloaded     = errors.New("svc: the server has too much to do")
)

// Location is the position of a problem in the request.
type Location struct{ Pointer, Node, Binding, Scope, Role string }

// Execution is the part of the execution in which a problem occurred.
type Execution struct{ Operator, OperatorID, Table, Index, Binding, Crossing string }

// Resource is the object to which a problem refers.
type Resource struct{ Kind, Name string }

// Conflict is the object at which another commit came first.
type Conflict struct{ Object, Table, Index, Operation string }

// Detail is one of several reasons of a problem.
type Detail struct {
	Reason, Detail string
	Location       Location
}

// Error is a problem that the server reports, with the members of its problem document (RFC 9457). Absent texts are empty.
type Error struct {
	// The HTTP status; 0 when there was no answer (ErrOutcomeUnknown).
	Status                                   int
	Type, Title, Code, Reason, Detail, Stage string
	Location                                 Location
	Errors                                   []Detail
	Execution                                Execution
	Resource                                 Resource
	Conflict                                 Conflict
	Incident                                 string
	// The problem document as it came; nil when there was no answer.
	Document []byte
	// The operation that failed, and the requests that were made for it.
	Operation string
	Attempts  int
	// The step of the builder that the problem points at.
	Step string
	// With ErrSchema: what does not fit, one sentence each; none with SchemaExact, which does not look.
	Differences []string
	cause       error
}

func (e *Error) Error() string {
	text := e.Detail
	if text == "" {
		text = e.Title
	}
	where := ""
	if e.Step != "" {
		where = ", " + e.Step
	}
	return e.Operation + ": " + text + " (" + e.Reason + where + ")"
}

func (e *Error) Unwrap() error { return e.cause }

// Is returns whether the error belongs to the class.
func (e *Error) Is(class error) bool {
	for _, own := range e.classes() {
		if own == class {
			return true
		}
	}
	return false
}

// Guard returns the name of the failed guard; the empty string for other errors.
func (e *Error) Guard() string {
	name, isGuard := strings.CutPrefix(e.statement(), guardPrefix)
	if e.Reason != "division_by_zero" || !isGuard {
		return ""
	}
	return name
}

// Names of statements that are guards begin so.
const guardPrefix = "ensure_"

var detailHead = regexp.MustCompile(`^statement "([^"]*)"`)

func (e *Error) statement() string {
	if e.Location.Binding != "" {
		return e.Location.Binding
	}
	if found := detailHead.FindStringSubmatch(e.Detail); found != nil {
		return found[1]
	}
	return ""
}

func (e *Error) classes() []error {
	if e.Guard() != "" {
		return []error{ErrEnsure, ErrExecution}
	}
	switch e.Reason {
	case "constraint_violation":
		return []error{ErrConstraint, ErrInvalid}
	case "read_only":
		return []error{ErrReadOnly, ErrInvalid}
	case "schema_client_outdated", "schema_server_outdated", "schema_history_diverged":
		return []error{ErrSchema, ErrInvalid}
	case "cardinality_violation":
		return []error{ErrCardinality, ErrExecution}
	case "mutation_target_not_found":
		return []error{ErrTargetNotFound, ErrExecution}
	case "recursion_limit", "memory_limit", "result_limit", "deadline_exceeded":
		return []error{ErrLimit, ErrExecution}
	case "commit_outcome_unknown":
		return []error{ErrOutcomeUnknown, ErrInternal}
	case "overloaded":
		return []error{ErrOverloaded, ErrInternal}
	}
	switch e.Code {
	case "invalid":
		return []error{ErrInvalid}
	case "execution_failed":
		return []error{ErrExecution}
	case "conflict":
		return []error{ErrConflict}
	case "not_found":
		return []error{ErrNotFound}
	case "unauthenticated", "forbidden":
		return []error{ErrAuth}
	case "internal":
		return []error{ErrInternal}
	}
	return nil
}

// Phase is the progress of an operation that got no usable response.
type Phase string

const (
	// PhaseConnect is before anything was sent.
	PhaseConnect Phase = "connect"
	// PhaseResponse is a connection that broke off after sending.
	PhaseResponse Phase = "response"
	PhaseTimeout  Phase = "timeout"
	// PhaseAborted is an end by the context, or by Close.
	PhaseAborted Phase = "aborted"
	// PhaseProtocol is an answer of something that is no svc server.
	PhaseProtocol Phase = "protocol"
)

// TransportError is an operation without a usable response.
type TransportError struct {
	Phase     Phase
	Message   string
	Operation string
	Attempts  int
	// Whether the server may have received the operation.
	Sent bool
	// Of an answer that cannot be read.
	Status int
	cause  error
}

func (e *TransportError) Error() string { return e.Operation + ": " + e.Message }

func (e *TransportError) Unwrap() error { return e.cause }

// The problem in an answer; nil where there is none.
func problemIn(text []byte, status int) *Error {
	members, err := membersOf(text)
	if err != nil {
		return nil
	}
	e := &Error{Status: status, Document: text}
	for name, to := range map[string]*string{
		"type": &e.Type, "title": &e.Title, "code": &e.Code, "reason": &e.Reason,
		"detail": &e.Detail, "stage": &e.Stage, "incident": &e.Incident,
	} {
		*to = textOf(members[name])
	}
	if e.Code == "" || e.Reason == "" {
		return nil
	}
	e.Location = locationIn(members["location"])
	texts(members["execution"], map[string]*string{
		"operator": &e.Execution.Operator, "operator_id": &e.Execution.OperatorID, "table": &e.Execution.Table,
		"index": &e.Execution.Index, "binding": &e.Execution.Binding, "crossing": &e.Execution.Crossing,
	})
	texts(members["resource"], map[string]*string{"kind": &e.Resource.Kind, "name": &e.Resource.Name})
	texts(members["conflict"], map[string]*string{
		"object": &e.Conflict.Object, "table": &e.Conflict.Table, "index": &e.Conflict.Index, "operation": &e.Conflict.Operation,
	})
	for _, each := range elementsOf(members["errors"]) {
		var detail Detail
		texts(each, map[string]*string{"reason": &detail.Reason, "detail": &detail.Detail})
		if inside, err := membersOf(each); err == nil {
			detail.Location = locationIn(inside["location"])
		}
		e.Errors = append(e.Errors, detail)
	}
	return e
}

func locationIn(text []byte) (at Location) {
	texts(text, map[string]*string{
		"pointer": &at.Pointer, "node": &at.Node, "binding": &at.Binding, "scope": &at.Scope, "role": &at.Role,
	})
	return at
}

// The members of an object that are texts.
func texts(object []byte, members map[string]*string) {
	found, err := membersOf(object)
	if err != nil {
		return
	}
	for name, to := range members {
		*to = textOf(found[name])
	}
}

func intOf(text []byte) int64 {
	value, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return 0
	}
	return value
}
