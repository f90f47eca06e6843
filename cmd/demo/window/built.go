package window

// notCompiled says that this build or this device lacks something for good, as
// against something that is merely not there yet.
const notCompiled = "not compiled in: "

// notBound says that something exists, but nothing has taken it up yet.
const notBound = "not bound: "
