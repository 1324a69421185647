"""What a collection found, as one page for people: `content` asks the collection, `page` lays it out."""
