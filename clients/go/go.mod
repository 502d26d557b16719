// The runtime of Go clients. "svc generate" copies it into the package of an application; nothing imports this module.
module svc

go 1.24
