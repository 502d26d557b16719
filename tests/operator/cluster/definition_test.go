// Package cluster runs the code of a Kubernetes API server on the printed definition: what it accepts, and what databases it accepts then.
package cluster

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	schemavalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// The files are named by the script that starts these tests.
func fileOf(t *testing.T, variable string) []byte {
	t.Helper()
	text, err := os.ReadFile(os.Getenv(variable))
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return text
}

// As `kubectl apply` and the API server read it.
func definitionOf(t *testing.T) *apiextensions.CustomResourceDefinition {
	t.Helper()
	given := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(fileOf(t, "SVC_TEST_DEFINITION"), given); err != nil {
		t.Fatal(err)
	}
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(given)
	// The server fills in the status before it validates.
	given.Status.StoredVersions = []string{given.Spec.Versions[0].Name}
	definition := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(given, definition, nil); err != nil {
		t.Fatal(err)
	}
	return definition
}

func TestDefinitionIsAccepted(t *testing.T) {
	if errs := validation.ValidateCustomResourceDefinition(context.Background(), definitionOf(t)); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
}

// An enum or a default of another type makes a member that nobody can set; the API server accepts such a definition.
func TestValuesHaveTheTypeOfTheirMember(t *testing.T) {
	found := 0
	var walk func(path string, props *apiextensions.JSONSchemaProps)
	walk = func(path string, props *apiextensions.JSONSchemaProps) {
		for _, value := range props.Enum {
			found++
			if _, isText := value.(string); props.Type == "string" && !isText {
				t.Errorf("%s: the enum has %#v", path, value)
			}
		}
		for name := range props.Properties {
			inner := props.Properties[name]
			walk(path+"."+name, &inner)
		}
		if props.Items != nil && props.Items.Schema != nil {
			walk(path+"[]", props.Items.Schema)
		}
	}
	walk("", schemaOf(t).OpenAPIV3Schema)
	if found < 20 {
		t.Errorf("only %d values of enums were found", found)
	}
}

func schemaOf(t *testing.T) *apiextensions.CustomResourceValidation {
	t.Helper()
	found, err := apiextensions.GetSchemaForVersion(definitionOf(t), "v1alpha1")
	if err != nil || found == nil {
		t.Fatalf("no schema: %v", err)
	}
	return found
}

type object = map[string]any

// What the API server does to a new database, or to a change of `old`: unknown members, then defaults, then all checks.
func admit(t *testing.T, database, old object) field.ErrorList {
	t.Helper()
	given := schemaOf(t)
	structural, err := schema.NewStructural(given.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	options := schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	errs := field.ErrorList{}
	for _, path := range pruning.PruneWithOptions(database, structural, true, options) {
		errs = append(errs, field.Invalid(field.NewPath(path), nil, "unknown field"))
	}
	defaulting.Default(database, structural)
	validator, _, err := schemavalidation.NewSchemaValidator(given.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	errs = append(errs, schemavalidation.ValidateCustomResource(nil, database, validator)...)
	if len(errs) > 0 {
		return errs
	}
	rules := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	var before any
	if old != nil {
		before = old
	}
	broken, _ := rules.Validate(context.Background(), nil, structural, database, before, celconfig.RuntimeCELCostBudget)
	return broken
}

// The example of deploy/, with lines of YAML below `spec` that replace what is there.
func databaseOf(t *testing.T, lines ...string) object {
	t.Helper()
	database := parsed(t, string(fileOf(t, "SVC_TEST_EXAMPLE")))
	merge(database["spec"].(object), parsed(t, strings.Join(lines, "\n")))
	return database
}

func parsed(t *testing.T, text string) object {
	t.Helper()
	converted, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	found := object{}
	if err := json.Unmarshal(converted, &found); err != nil {
		t.Fatal(err)
	}
	// Whole numbers, as the decoder of the server has them.
	return whole(found).(object)
}

func whole(value any) any {
	switch it := value.(type) {
	case object:
		for name := range it {
			it[name] = whole(it[name])
		}
	case []any:
		for i := range it {
			it[i] = whole(it[i])
		}
	case float64:
		if it == float64(int64(it)) {
			return int64(it)
		}
	}
	return value
}

func merge(into, from object) {
	for name, value := range from {
		inner, isObject := value.(object)
		target, wasObject := into[name].(object)
		if isObject && wasObject {
			merge(target, inner)
		} else if value == nil {
			delete(into, name)
		} else {
			into[name] = value
		}
	}
}

func TestExampleIsAccepted(t *testing.T) {
	database := databaseOf(t)
	if errs := admit(t, database, nil); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	telemetry := database["spec"].(object)["telemetry"].(object)
	if telemetry["metrics"] != true || database["spec"].(object)["catalogMode"] == nil {
		t.Errorf("defaults are missing: %v", database)
	}
}

func TestAccepted(t *testing.T) {
	for _, lines := range []string{
		`telemetry: { diagnostics: "off" }`,
		`telemetry: { diagnostics: summary }`,
		`telemetry: { diagnostics: detailed }`,
		`telemetry: { diagnostics: full }`,
		`telemetry: { traceSamplePercent: 0.5 }`,
		`telemetry: null`,
		`logging: { level: debug, format: logfmt, programs: true, slowMs: 0 }`,
		`store: { objectCachePreload: none, commitDurability: memory, scanCacheBlocks: true }`,
		`{ authentication: { mode: none }, route: { hostname: db.example, scheme: http } }`,
		`readers: 32`,
		`{ authentication: null, tls: null }`,
		`{ authentication: { mode: none }, tls: null }`,
		`{ authentication: {}, tls: { secretName: shop-tls } }`,
		`{ authentication: { mode: keys }, tls: { secretName: null, behindProxy: true, trustedProxies: [10.0.0.0/8] } }`,
		`authentication: { mode: jwt, jwt: { issuer: "https://a", audience: b } }`,
		`authentication: { mode: "keys,jwt", jwt: { issuer: a, audience: b, keySetSecretRef: { name: c } } }`,
	} {
		if errs := admit(t, databaseOf(t, lines), nil); len(errs) > 0 {
			t.Errorf("%s: %v", lines, errs.ToAggregate())
		}
	}
}

func TestRefused(t *testing.T) {
	for lines, message := range map[string]string{
		`telemetry: { diagnostics: "on" }`:                                `Unsupported value: "on": supported values: "off", "summary", "detailed", "full"`,
		`telemetry: { diagnostics: off }`:                                 `must be of type string: "boolean"`,
		`readers: 33`:                                                     "should be less than or equal to 32",
		`image: ""`:                                                       "should be at least 1 chars long",
		`storage: { endpoint: "s3:9000" }`:                                "should match '^https?://'",
		`store: { commitDurability: never }`:                              `Unsupported value: "never"`,
		`telemetry: { level: full }`:                                      "unknown field",
		`tls: null`:                                                       "set tls.secretName, or tls.behindProxy",
		`tls: { secretName: null }`:                                       "set either secretName, or behindProxy to true",
		`tls: { secretName: null, behindProxy: false }`:                   "set either secretName, or behindProxy to true",
		`tls: { secretName: a, behindProxy: true }`:                       "set either secretName, or behindProxy to true",
		`route: { scheme: http }`:                                         "set route.scheme to https",
		`authentication: { mode: token }`:                                 `Unsupported value: "token"`,
		`authentication: { mode: jwt }`:                                   "set jwt exactly if the mode is jwt or keys,jwt",
		`authentication: { mode: keys, jwt: { issuer: a, audience: b } }`: "set jwt exactly if the mode is jwt or keys,jwt",
		`authentication: { mode: jwt, jwt: { issuer: a } }`:               "Required value",
		`authentication: { mode: jwt, jwt: { issuer: a, audience: b, keySetUrl: "http://c" } }`:                                "should match '^https://'",
		`authentication: { mode: jwt, jwt: { issuer: a, audience: b, keySetUrl: "https://c", keySetSecretRef: { name: d } } }`: "at most one of keySetUrl and keySetSecretRef",
		`storage: { authentication: { serviceAccountName: a, credentialsSecretRef: { name: b } } }`:                            "either credentialsSecretRef or serviceAccountName",
	} {
		errs := admit(t, databaseOf(t, lines), nil)
		if len(errs) == 0 || !strings.Contains(errs.ToAggregate().Error(), message) {
			t.Errorf("%s: %v, expected %q", lines, errs.ToAggregate(), message)
		}
	}
	long := databaseOf(t)
	long["metadata"].(object)["name"] = strings.Repeat("n", 51)
	if errs := admit(t, long, nil); len(errs) == 0 || !strings.Contains(errs.ToAggregate().Error(), "the name exceeds 50 characters") {
		t.Errorf("a name of 51 characters: %v", errs.ToAggregate())
	}
}

func TestChanges(t *testing.T) {
	old := databaseOf(t)
	if errs := admit(t, old, nil); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	if errs := admit(t, databaseOf(t, `readers: 7`), old); len(errs) > 0 {
		t.Errorf("more readers: %v", errs.ToAggregate())
	}
	for lines, message := range map[string]string{
		`storage: { bucket: another }`:               "the storage location of a database cannot change",
		`storage: { prefix: another }`:               "the storage location of a database cannot change",
		`storage: { endpoint: "https://elsewhere" }`: "the storage location of a database cannot change",
		`catalogMode: direct`:                        "the catalog mode of a database cannot change",
	} {
		errs := admit(t, databaseOf(t, lines), old)
		if len(errs) == 0 || !strings.Contains(errs.ToAggregate().Error(), message) {
			t.Errorf("%s: %v, expected %q", lines, errs.ToAggregate(), message)
		}
	}
}
