"""What does a program say? libcst trees become small typed nodes with places; libcst goes no further up."""
